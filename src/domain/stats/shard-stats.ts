import * as z from "zod";
import { EvaluationId } from "../ids.ts";
import { ModelKey } from "../model.ts";
import type { RunSpan } from "../plan.ts";
import { toWhole } from "../run/amounts.ts";
import { FailureCause } from "../run/failure.ts";
import type { LogEntry } from "../run/log-entry.ts";
import { NO_USAGE, toNanoUsd, Usage } from "../run/usage.ts";
import { verdictRow } from "../run/verdict.ts";
import { StatsFold, type Tally } from "./stats.ts";

const Count = z.int().nonnegative().default(0);

/** A tally as JSON can hold it; what an older release did not count yet is 0. */
const StoredTally = z.object({
  correct: Count,
  wrong: Count,
  unscored: Count,
  failures: z.partialRecord(FailureCause, z.int().nonnegative()),
  usage: Usage,
  unknownUsage: Count,
  costNanoUsd: z.int().default(0),
  knownCosts: Count,
  unknownCosts: Count,
  judgeUsage: Usage.default(NO_USAGE),
  judgeCostNanoUsd: z.int().default(0),
  knownJudgeCosts: Count,
  unknownJudgeCosts: Count,
  scoreMicros: z.int().default(0),
  scores: Count,
  metrics: z.record(z.string(), z.object({ micros: z.int(), runs: Count })).default({}),
  runtimeMs: Count,
  /** Pairs of milliseconds and how many runs took that long. */
  runtimes: z.array(z.tuple([z.int().nonnegative(), z.int().positive()])),
} satisfies Record<keyof Tally, z.ZodType>);
type StoredTally = z.infer<typeof StoredTally>;

const toStoredTally = (tally: Tally): StoredTally => ({
  ...tally,
  metrics: Object.fromEntries(tally.metrics),
  runtimes: [...tally.runtimes],
});

const fromStoredTally = (stored: StoredTally): Tally => ({
  ...stored,
  failures: { ...stored.failures },
  metrics: new Map(Object.entries(stored.metrics)),
  runtimes: new Map(stored.runtimes),
});

/** Time and cost of each run of a part of the plan, in plan order; null for what says nothing of its model. */
export const EffortRow = z.object({
  runtimesMs: z.array(z.int().nonnegative().nullable()),
  /** Also null where the cost is not known. */
  costsNanoUsd: z.array(z.int().nullable()),
});
export type EffortRow = z.infer<typeof EffortRow>;

type Effort = Pick<LogEntry, "failure" | "runtimeSeconds" | "costUsd">;

/** Reads what one run took; a run whose failure is not its model's fault says nothing of what the model takes. */
export function effortOf({ failure, runtimeSeconds, costUsd }: Effort) {
  if (failure !== null && failure.fault !== "model") return { runtimeMs: null, costNanoUsd: null };
  return {
    runtimeMs: toWhole(runtimeSeconds * 1_000),
    costNanoUsd: costUsd === null ? null : toNanoUsd(costUsd),
  };
}

export function effortRow(
  { from, to }: RunSpan,
  entries: Iterable<Effort & Pick<LogEntry, "index">>,
): EffortRow {
  const runtimesMs = Array<number | null>(to - from).fill(null);
  const costsNanoUsd = Array<number | null>(to - from).fill(null);
  for (const entry of entries) {
    if (entry.index < from || entry.index >= to) continue;
    const { runtimeMs, costNanoUsd } = effortOf(entry);
    runtimesMs[entry.index - from] = runtimeMs;
    costsNanoUsd[entry.index - from] = costNanoUsd;
  }
  return { runtimesMs, costsNanoUsd };
}

/**
 * Sums over the runs of one shard, up to a round. The result of each problem is in `verdicts`, one
 * character per run in plan order, from which tallies per problem follow by arithmetic.
 */
export const ShardStats = z.object({
  v: z.literal(1),
  evaluationId: EvaluationId,
  shard: z.int().nonnegative(),
  round: z.int().positive(),
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  tallies: z.record(ModelKey, StoredTally),
  verdicts: z.string(),
  /** Results that a round which checks left as they were. */
  unchecked: z.int().nonnegative().default(0),
  /** Entries that its evaluator had not written, and that do not count. */
  foreign: z.int().positive().optional(),
  /** What each run took, as the verdicts are; an older release left it out. */
  efforts: EffortRow.optional(),
});
export type ShardStats = z.infer<typeof ShardStats>;

interface ShardOf extends RunSpan {
  readonly evaluationId: EvaluationId;
  readonly shard: number;
  readonly round: number;
}

export function foldShard(shard: ShardOf, entries: Iterable<LogEntry>): ShardStats {
  const fold = new StatsFold();
  const seen: LogEntry[] = [];
  for (const entry of entries) {
    fold.add(entry);
    seen.push(entry);
  }
  const { evaluationId, round, from, to } = shard;
  const tallies = [...fold.tallies].map(([key, tally]) => [key, toStoredTally(tally)]);
  return {
    v: 1,
    evaluationId,
    shard: shard.shard,
    round,
    from,
    to,
    tallies: Object.fromEntries(tallies) as ShardStats["tallies"],
    verdicts: verdictRow({ from, to }, seen).verdicts,
    unchecked: 0,
    efforts: effortRow({ from, to }, seen),
  };
}

/** Adds a shard to what an evaluation adds up to. */
export function mergeShard(fold: StatsFold, shard: Pick<ShardStats, "tallies">): void {
  for (const [key, stored] of Object.entries(shard.tallies)) {
    fold.merge(key as ModelKey, fromStoredTally(stored));
  }
}
