import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { countShards, type RunSpan, spanOfShard } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import {
  countCheckable,
  countDone,
  isChecking,
  isDone,
  isUnchecked,
  VERDICT,
} from "../../domain/run/verdict.ts";
import { foldShard, type ShardStats } from "../../domain/stats/shard-stats.ts";
import type { Store } from "../../store/store.ts";

export interface FoldParts {
  readonly store: Pick<Store, "entries" | "saveShardStats" | "shardStats">;
  /** Told of the runs of a round that ended without a runner to tell of them. */
  readonly onLost?: (entries: readonly LogEntry[]) => void;
}

/** Adds up the entries of one shard, and keeps the sum. */
export async function foldEntries(
  { store, onLost }: FoldParts,
  record: EvaluationRecord,
  round: number,
  shard: number,
  removed = 0,
): Promise<ShardStats> {
  const { from, to } = spanOfShard(record, shard);
  const entries: LogEntry[] = [];
  for await (const entry of store.entries(record.id, { fromIndex: from, toIndex: to })) entries.push(entry);
  const folded = foldShard({ evaluationId: record.id, shard, round, from, to }, entries);
  const unchecked = entries.filter((entry) => isUnchecked(entry, round)).length;
  const foreign = removed + entries.filter(({ wasForged }) => wasForged).length;
  const stats = {
    ...folded,
    ...(isChecking(record, round) ? { unchecked } : {}),
    ...(foreign > 0 ? { foreign } : {}),
  };
  await store.saveShardStats(stats);
  const lost = entries.filter((entry) => isLostNow(entry, record, round));
  if (lost.length > 0) onLost?.(lost);
  return stats;
}

/** What an evaluation took over was told of in its time. */
const isLostNow = (entry: LogEntry, { startedAt }: EvaluationRecord, round: number): boolean =>
  entry.round === round && entry.attempts.length === 0 && entry.endedAt >= startedAt;

/** What a shard of this round says of its runs that may have changed since. */
type IsOpen = (stats: ShardStats) => boolean;

export const hasMissing: IsOpen = ({ verdicts }) => verdicts.includes(VERDICT.missing);

/** Runs of which something is said without their having told it may have been under way then. */
export const hasUnheardOf: IsOpen = ({ verdicts, unchecked }) =>
  unchecked > 0 || UNHEARD_OF.some((verdict) => verdicts.includes(verdict));

const UNHEARD_OF = [VERDICT.missing, VERDICT.cancelled, VERDICT.budget, VERDICT.crashed];

/** In order; a shard that this round worked on and nobody folded is folded now, and so is an open one. */
export async function* foldedShards(
  parts: FoldParts,
  record: EvaluationRecord,
  round: number,
  isOpen: IsOpen,
): AsyncGenerator<ShardStats> {
  let next = 0;
  const foldUpTo = async function* (end: number): AsyncGenerator<ShardStats> {
    for (; next < end; next++) yield foldEntries(parts, record, round, next);
  };
  for await (const stats of parts.store.shardStats(record.id)) {
    yield* foldUpTo(stats.shard);
    const isStale =
      stats.round < round ? countToDo(stats.verdicts, isChecking(record, round)) > 0 : isOpen(stats);
    yield isStale ? foldEntries(parts, record, round, stats.shard) : stats;
    next = stats.shard + 1;
  }
  yield* foldUpTo(countShards(record));
}

/**
 * The runs of a span that a round still owes: those without an entry of it that failed before, or never ended. One that
 * only checks owes a verdict on every earlier result.
 */
export async function runsToDo(
  store: Pick<Store, "entries">,
  record: EvaluationRecord,
  round: number,
  { from, to }: RunSpan,
): Promise<number[]> {
  const isCheck = isChecking(record, round);
  const [done, unchecked] = [new Set<number>(), [] as number[]];
  for await (const entry of store.entries(record.id, { fromIndex: from, toIndex: to })) {
    if (entry.round >= round || isDone(entry, true)) done.add(entry.index);
    if (isUnchecked(entry, round)) unchecked.push(entry.index);
  }
  if (isCheck) return unchecked;
  return Array.from({ length: to - from }, (_, place) => from + place).filter((run) => !done.has(run));
}

/** How many runs of a row another round would work on. */
export const countToDo = (verdicts: string, isCheck = false): number =>
  isCheck ? countCheckable(verdicts) : verdicts.length - countDone(verdicts, true);
