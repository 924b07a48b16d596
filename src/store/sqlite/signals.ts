import type { Spend } from "../../domain/budget.ts";
import { FleetLimit, type FleetLimits, fleetLimitsIn } from "../../domain/fleet-limit.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { ShardStats } from "../../domain/stats/shard-stats.ts";
import type { RequestClaim } from "../store.ts";
import { claimFromText, claimToText, readStored } from "../stored.ts";
import { inPages, type SqliteRows } from "./rows.ts";
import { claimKey, SQL } from "./schema.ts";

const FIND = "SELECT fleet_limit FROM fleet_limits WHERE provider = :provider";
const SAVE = `
  INSERT INTO fleet_limits (provider, fleet_limit) VALUES (?, ?)
  ON CONFLICT DO UPDATE SET fleet_limit = excluded.fleet_limit`;

/** The limits that the processes of one machine share; each step reads and writes in one transaction. */
export const sqliteFleetLimits = (rows: SqliteRows): FleetLimits =>
  fleetLimitsIn({
    find: (providerKey) => {
      const [row] = rows.read(FIND, { provider: JSON.stringify(providerKey) });
      return row === undefined ? null : readStored(FleetLimit, row.fleet_limit, "The limit of a provider");
    },
    save: (providerKey, limit) =>
      void rows.write(SAVE, [JSON.stringify(providerKey), JSON.stringify({ v: 1, ...limit })]),
    together: (work) => rows.together(work),
  });

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

  addSpend(evaluation: EvaluationId, { nanoUsd, tokens }: Spend): void {
    this.#rows.write(SQL.addSpend, [evaluation, BigInt(nanoUsd), BigInt(tokens)]);
  }

  spent(evaluation: EvaluationId): Spend {
    const [row] = this.#rows.read(SQL.spent, { evaluation });
    return { nanoUsd: Number(row?.nano_usd ?? 0), tokens: Number(row?.tokens ?? 0) };
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
