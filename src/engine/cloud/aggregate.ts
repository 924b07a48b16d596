import type { Clock } from "../../domain/clock.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { isChecking, isUnchecked } from "../../domain/recheck.ts";
import { countShards, spanOfShard } from "../../domain/run-number.ts";
import { foldShard, mergeShard, type ShardStats } from "../../domain/shard-stats.ts";
import { emptyTally, type Tally, toModelStats } from "../../domain/stats.ts";
import { VERDICT } from "../../domain/verdict.ts";
import type { Store } from "../../store/contract.ts";
import { type AggregateAnswer, AggregateEvent } from "./events.ts";
import { countToDo } from "./runs-to-do.ts";
import { storedRecord } from "./stored-record.ts";

export interface AggregateParts {
  readonly store: Pick<
    Store,
    "findEvaluation" | "updateEvaluation" | "entries" | "saveShardStats" | "shardStats"
  >;
  readonly clock: Pick<Clock, "now">;
  /** Told of the runs of a round that ended without a runner to tell of them. */
  readonly onLost?: (entries: readonly LogEntry[]) => void;
  /** Told once of an evaluation that has ended, after it is stored. */
  readonly onEnd?: (record: EvaluationRecord) => Promise<void>;
}

/** Folds the entries of one shard, or all shards into the stats with which the evaluation ends. */
export async function aggregate(parts: AggregateParts, input: unknown): Promise<AggregateAnswer> {
  const { evaluationId, round, shard } = AggregateEvent.parse(input);
  const record = await storedRecord(parts.store, evaluationId);
  if (shard !== null) return countRow(await foldEntries(parts, record, round, shard));
  return endEvaluation(parts, record, round);
}

async function foldEntries(
  { store, onLost }: AggregateParts,
  record: EvaluationRecord,
  round: number,
  shard: number,
): Promise<ShardStats> {
  const { from, to } = spanOfShard(record, shard);
  const entries: LogEntry[] = [];
  for await (const entry of store.entries(record.id, { fromIndex: from, toIndex: to })) entries.push(entry);
  const folded = foldShard({ evaluationId: record.id, shard, round, from, to }, entries);
  const unchecked = entries.filter((entry) => isUnchecked(entry, round)).length;
  const stats = isChecking(record, round) ? { ...folded, unchecked } : folded;
  await store.saveShardStats(stats);
  const lost = entries.filter((entry) => isLostNow(entry, record, round));
  if (lost.length > 0) onLost?.(lost);
  return stats;
}

/** What an evaluation took over was told of in its time. */
const isLostNow = (entry: LogEntry, { startedAt }: EvaluationRecord, round: number): boolean =>
  entry.round === round && entry.attempts.length === 0 && entry.endedAt >= startedAt;

const countRow = ({ verdicts }: ShardStats): AggregateAnswer => {
  const missing = [...verdicts].filter((verdict) => verdict === VERDICT.missing).length;
  return { finished: verdicts.length - missing, failed: countToDo(verdicts) - missing, missing };
};

/** One that ended already is left as it is: the same event may come twice. */
async function endEvaluation(
  parts: AggregateParts,
  record: EvaluationRecord,
  round: number,
): Promise<AggregateAnswer> {
  const tallies = new Map<ModelKey, Tally>(record.models.map((model) => [modelKey(model), emptyTally()]));
  const total = { finished: 0, failed: 0, missing: 0 };
  let unchecked = 0;
  for await (const shard of foldedShards(parts, record, round)) {
    mergeShard(tallies, shard);
    unchecked += shard.round === round ? shard.unchecked : 0;
    const row = countRow(shard);
    for (const field of ["finished", "failed", "missing"] as const) total[field] += row[field];
  }
  const planned = record.problemCount * record.trials;
  const stats = Object.fromEntries(
    [...tallies].map(([key, tally]) => [key, toModelStats(tally, planned)]),
  ) as Record<ModelKey, ModelStats>;
  if (record.round !== round || record.status !== "running") return total;
  const now = parts.clock.now().toISOString();
  const ended = { ...record, status: endStatus(total, stats), stats };
  if (isChecking(record)) {
    // Its runs ended when they did, and of that was told.
    const recheck = record.recheck && { ...record.recheck, unchecked };
    await parts.store.updateEvaluation({ ...ended, recheck, endedAt: record.endedAt ?? now });
    return total;
  }
  await parts.store.updateEvaluation({ ...ended, endedAt: now });
  await parts.onEnd?.({ ...ended, endedAt: now });
  return total;
}

/** What was stopped is there to be told; a stop that comes after the last run has ended stops nothing. */
function endStatus(
  { missing }: AggregateAnswer,
  stats: Readonly<Record<ModelKey, ModelStats>>,
): EvaluationRecord["status"] {
  if (missing > 0) return "broken";
  const isWhole = Object.values<ModelStats>(stats).every(
    ({ failuresByFault }) => failuresByFault.stopped === 0,
  );
  return isWhole ? "finished" : "cancelled";
}

/** In order; a shard that this round worked on and nobody folded is folded now. */
async function* foldedShards(
  parts: AggregateParts,
  record: EvaluationRecord,
  round: number,
): AsyncGenerator<ShardStats> {
  let next = 0;
  const foldUpTo = async function* (end: number): AsyncGenerator<ShardStats> {
    for (; next < end; next++) yield foldEntries(parts, record, round, next);
  };
  for await (const stats of parts.store.shardStats(record.id)) {
    yield* foldUpTo(stats.shard);
    const isStale =
      stats.round < round
        ? countToDo(stats.verdicts, isChecking(record, round)) > 0
        : stats.verdicts.includes(VERDICT.missing);
    yield isStale ? foldEntries(parts, record, round, stats.shard) : stats;
    next = stats.shard + 1;
  }
  yield* foldUpTo(countShards(record));
}
