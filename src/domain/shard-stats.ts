import * as z from "zod";
import { EffortRow, effortRow } from "./effort-row.ts";
import { EvaluationId } from "./ids.ts";
import { entryModelKey, type LogEntry } from "./log-entry.ts";
import { ModelKey } from "./model.ts";
import type { RunSpan } from "./run-number.ts";
import { addEntry, emptyTally, type Tally } from "./stats.ts";
import { fromStoredTally, mergeTally, StoredTally, toStoredTally } from "./stored-tally.ts";
import { verdictRow } from "./verdict.ts";

/**
 * What the runs of one shard add up to, up to a round. What became of each problem is in `verdicts`, one
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

export interface ShardOf extends RunSpan {
  readonly evaluationId: EvaluationId;
  readonly shard: number;
  readonly round: number;
}

export function foldShard(shard: ShardOf, entries: Iterable<LogEntry>): ShardStats {
  const tallies = new Map<ModelKey, Tally>();
  const seen: LogEntry[] = [];
  for (const entry of entries) {
    addEntry(tallyOf(tallies, entryModelKey(entry)), entry);
    seen.push(entry);
  }
  const { evaluationId, round, from, to } = shard;
  return {
    v: 1,
    evaluationId,
    shard: shard.shard,
    round,
    from,
    to,
    tallies: Object.fromEntries([...tallies].map(([key, tally]) => [key, toStoredTally(tally)])) as Record<
      ModelKey,
      StoredTally
    >,
    verdicts: verdictRow({ from, to }, seen).verdicts,
    unchecked: 0,
    efforts: effortRow({ from, to }, seen),
  };
}

/** Adds a shard to the tallies of an evaluation. */
export function mergeShard(tallies: Map<ModelKey, Tally>, shard: ShardStats): void {
  for (const [key, stored] of Object.entries(shard.tallies)) {
    mergeTally(tallyOf(tallies, key as ModelKey), fromStoredTally(stored));
  }
}

function tallyOf(tallies: Map<ModelKey, Tally>, key: ModelKey): Tally {
  const known = tallies.get(key) ?? emptyTally();
  tallies.set(key, known);
  return known;
}
