import type { Spend } from "../domain/budget.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { ShardStats } from "../domain/shard-stats.ts";
import { toWhole } from "../domain/whole.ts";
import type { RequestClaim } from "./contract.ts";
import { type DynamoItems, itemOf, number, text } from "./dynamo-items.ts";
import { cancelKey, claimKey, shardKey, shardKeys, spendKey } from "./dynamo-keys.ts";
import { readStored } from "./read-stored.ts";
import { claimFromText, claimToText } from "./stored-claim.ts";

/** The items by which those who work on an evaluation tell one another something. */
export class DynamoSignals {
  readonly #items: DynamoItems;

  constructor(items: DynamoItems) {
    this.#items = items;
  }

  async saveShard(stats: ShardStats): Promise<void> {
    const item = itemOf("shard", { stats: text(JSON.stringify(stats)) });
    await this.#items.put(shardKey(stats.evaluationId, stats.shard), item);
  }

  async *shards(id: EvaluationId): AsyncGenerator<ShardStats> {
    for await (const item of this.#items.span(shardKeys(id))) {
      yield readStored(ShardStats, item.stats?.S, "The stats of a shard");
    }
  }

  async requestCancel(id: EvaluationId, round: number): Promise<void> {
    await this.#items.put(cancelKey(id, round), itemOf("cancel", {}));
  }

  async isCancelRequested(id: EvaluationId, round: number): Promise<boolean> {
    return (await this.#items.get(cancelKey(id, round))) !== null;
  }

  async addSpend(id: EvaluationId, { nanoUsd, tokens }: Spend): Promise<Spend> {
    const add = { nanoUsd: number(nanoUsd), tokens: number(tokens) };
    const sum = await this.#items.add(spendKey(id), { set: itemOf("spend", {}), add });
    return { nanoUsd: toWhole(Number(sum.nanoUsd?.N)), tokens: toWhole(Number(sum.tokens?.N)) };
  }

  /** DynamoDB takes its time to drop what has expired, so an expired claim may still be there. */
  async claim(claim: RequestClaim, now: Date): Promise<RequestClaim> {
    const key = claimKey(claim.key);
    const expiresMs = claim.expiresAt.getTime();
    const item = itemOf("claim", {
      claim: text(claimToText(claim)),
      expiresMs: number(expiresMs),
      expiresAt: number(Math.ceil(expiresMs / 1_000)),
    });
    const unless = { expression: "expiresMs <= :now", values: { ":now": number(now.getTime()) } };
    if ((await this.#items.putNew(key, item, unless)) === "saved") return claim;
    const holding = await this.#items.get(key);
    return holding === null ? this.claim(claim, now) : claimFromText(holding.claim?.S);
  }
}
