import type { Spend } from "../domain/budget.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { ShardStats } from "../domain/shard-stats.ts";
import type { RequestClaim } from "./contract.ts";
import { inPages } from "./in-pages.ts";
import { readStored } from "./read-stored.ts";
import type { SqliteRows } from "./sqlite-rows.ts";
import { claimKey, SQL } from "./sqlite-schema.ts";
import { claimFromText, claimToText } from "./stored-claim.ts";

const SHARDS_PER_PAGE = 50;

/** The rows by which those who work on an evaluation tell one another something. */
export class SqliteSignals {
  readonly #rows: SqliteRows;

  constructor(rows: SqliteRows) {
    this.#rows = rows;
  }

  saveShard(stats: ShardStats): void {
    this.#rows.write(SQL.saveShard, [stats.evaluationId, stats.shard, JSON.stringify(stats)]);
  }

  async *shards(evaluation: EvaluationId): AsyncGenerator<ShardStats> {
    const readAfter = (shard: number, limit: number) =>
      this.#rows.read(SQL.shardsAfter, { evaluation, shard, limit });
    for await (const row of inPages(-1, SHARDS_PER_PAGE, readAfter, (last) => Number(last.shard))) {
      yield readStored(ShardStats, row.stats, "The stats of a shard");
    }
  }

  requestCancel(evaluation: EvaluationId, round: number): void {
    this.#rows.write(SQL.requestCancel, [evaluation, round]);
  }

  isCancelRequested(evaluation: EvaluationId, round: number): boolean {
    return this.#rows.read(SQL.isCancelRequested, { evaluation, round }).length > 0;
  }

  addSpend(evaluation: EvaluationId, { nanoUsd, tokens }: Spend): Spend {
    const [row] = this.#rows.read(SQL.addSpend, {
      evaluation,
      nanoUsd: BigInt(nanoUsd),
      tokens: BigInt(tokens),
    });
    return { nanoUsd: Number(row?.nano_usd), tokens: Number(row?.tokens) };
  }

  claim(claim: RequestClaim, now: Date): RequestClaim {
    const key = claimKey(claim.key);
    return this.#rows.together(() => {
      this.#rows.write(SQL.dropClaims, [now.getTime()]);
      this.#rows.write(SQL.claimRequest, [key, claim.expiresAt.getTime(), claimToText(claim)]);
      const [row] = this.#rows.read(SQL.findClaim, { key });
      return claimFromText(row?.claim);
    });
  }
}
