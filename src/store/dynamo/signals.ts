import { addSpends, NO_SPEND, type Spend } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { countPlanned } from "../../domain/plan.ts";
import { toWhole } from "../../domain/run/amounts.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { ShardStats } from "../../domain/stats/shard-stats.ts";
import type { RequestClaim } from "../store.ts";
import {
  addCounts,
  claimFromText,
  claimToText,
  countOf,
  NO_COUNT,
  type ProgressCount,
  readStored,
} from "../stored.ts";
import { type DynamoItems, type Item, itemOf, number, text } from "./items.ts";
import {
  cancelKey,
  claimKey,
  progressKey,
  progressKeys,
  shardKey,
  shardKeys,
  spendKey,
  spendKeys,
} from "./keys.ts";

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

  async addSpend(id: EvaluationId, { nanoUsd, tokens }: Spend, run: number): Promise<void> {
    const add = { nanoUsd: number(nanoUsd), tokens: number(tokens) };
    await this.#items.update(spendKey(id, run), { set: itemOf("spend", {}), add });
  }

  /** Each item as it is after every write that was answered; what they hold only ever grows. */
  async spent(id: EvaluationId): Promise<Spend> {
    const items = await this.#items.getAll(spendKeys(id));
    return items.map(readSpend).reduce(addSpends, NO_SPEND);
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

const readSpend = ({ nanoUsd, tokens }: Item): Spend => ({
  nanoUsd: toWhole(Number(nanoUsd?.N ?? 0)),
  tokens: toWhole(Number(tokens?.N ?? 0)),
});

const FIELDS = Object.keys(NO_COUNT) as readonly (keyof ProgressCount)[];

/** Counts per block of runs, so that a thousand runs in flight do not wait for one item. */
export class DynamoProgress {
  readonly #items: DynamoItems;

  constructor(items: DynamoItems) {
    this.#items = items;
  }

  async bump(entry: LogEntry): Promise<void> {
    const { evaluationId, index, round } = entry;
    const count = countOf(entry);
    const add = Object.fromEntries(FIELDS.map((field) => [field, number(count[field])]));
    await this.#items.update(progressKey(evaluationId, index, round), { set: itemOf("progress", {}), add });
  }

  async read(record: EvaluationRecord): Promise<ProgressCount> {
    const buckets = [...progressKeys(record.id, record.round, countPlanned(record))];
    const items = await Promise.all(
      buckets.map((keys) => Array.fromAsync(this.#items.span(keys, undefined, false))),
    );
    return items.flat().map(readCount).reduce(addCounts, NO_COUNT);
  }
}

const readCount = (item: Item): ProgressCount => ({
  ...NO_COUNT,
  ...Object.fromEntries(FIELDS.map((field) => [field, toWhole(Number(item[field]?.N ?? 0))])),
});
