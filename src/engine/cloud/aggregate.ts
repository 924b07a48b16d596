import type { Clock } from "../../domain/clock.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import { countShards, spanOfShard } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { isChecking, isUnchecked, VERDICT } from "../../domain/run/verdict.ts";
import { foldShard, mergeShard, type ShardStats } from "../../domain/stats/shard-stats.ts";
import { type ModelStats, StatsFold } from "../../domain/stats/stats.ts";
import type { Store } from "../../store/store.ts";
import { type DriftWatch, tellDrift } from "../drift.ts";
import { countToDo, hasUnheardOf } from "../owed-runs.ts";
import { storedRecord } from "../record.ts";
import { type AggregateAnswer, AggregateEvent, AlarmEvent, learnSeal, WatchEvent } from "./events.ts";

/** Does what the aggregator is invoked for: adds entries up, reports a worse end once it is stored, or watches. */
export async function foldOrTell(
  parts: AggregateDeps & AlarmDeps & WatchDeps,
  event: unknown,
): Promise<AggregateAnswer | null> {
  if (WatchEvent.safeParse(event).success) {
    parts.onRunning(await countRunning(parts.store));
    return null;
  }
  if (!AlarmEvent.safeParse(event).success) return aggregate(parts, event);
  await raiseAlarm(parts, event);
  return null;
}

interface WatchDeps {
  readonly store: Pick<Store, "pageEvaluations">;
  readonly onRunning: (evaluations: number) => void;
}

/** Among the newest, as many as one page looks through. */
async function countRunning(store: WatchDeps["store"]): Promise<number> {
  return (await store.pageEvaluations({ status: "running" }, { limit: 1_000 })).items.length;
}

interface AggregateDeps extends FoldDeps {
  readonly store: FoldDeps["store"] & Pick<Store, "findEvaluation" | "updateEvaluation" | "learnSeal">;
  readonly clock: Pick<Clock, "now">;
}

/** Folds the entries of one shard, or all shards into the stats with which the evaluation ends. */
export async function aggregate(parts: AggregateDeps, input: unknown): Promise<AggregateAnswer> {
  const event = AggregateEvent.parse(input);
  const { evaluationId, round, shard, isStop = false, isLate = false } = event;
  learnSeal(parts.store, event);
  const record = await storedRecord(parts.store, evaluationId);
  if (shard !== null) return countRow(await foldShardEntries(parts, record, round, shard, event.foreign));
  return isLate ? correctEvaluation(parts, record, round) : endEvaluation(parts, record, round, isStop);
}

const NOTHING: AggregateAnswer = { finished: 0, failed: 0, missing: 0 };

const countRow = ({ verdicts }: ShardStats): AggregateAnswer => {
  const missing = [...verdicts].filter((verdict) => verdict === VERDICT.missing).length;
  return { finished: verdicts.length - missing, failed: countToDo(verdicts) - missing, missing };
};

/** One that ended already, or goes on in another round, is left as it is: the same event may come twice, or late. */
async function endEvaluation(
  parts: AggregateDeps,
  record: EvaluationRecord,
  round: number,
  isStop: boolean,
): Promise<AggregateAnswer> {
  const { total, ...sums } = await addUp(record, round, foldedShards(parts, record, round, hasMissing));
  if (record.round !== round || record.status !== "running") return total;
  const now = parts.clock.now().toISOString();
  const ended: EvaluationRecord = {
    ...withSums(record, sums),
    status: endStatus(total, sums.stats),
    ...(isStop ? { hasLateRuns: true } : {}),
  };
  // The runs of a round that checks ended when they did.
  const endedAt = isChecking(record) ? (record.endedAt ?? now) : now;
  await parts.store.updateEvaluation({ ...ended, endedAt }, record);
  return total;
}

/** Only its sums change, and not those of a round that has begun meanwhile. What got lost was reported at its end. */
async function correctEvaluation(
  { store }: AggregateDeps,
  record: EvaluationRecord,
  round: number,
): Promise<AggregateAnswer> {
  const isOver = (now: EvaluationRecord) => now.round === round && now.status !== "running";
  if (!isOver(record)) return NOTHING;
  const { total, ...sums } = await addUp(record, round, foldedShards({ store }, record, round, hasUnheardOf));
  const present = await storedRecord(store, record.id);
  if (isOver(present)) await store.updateEvaluation(withSums(present, sums), present);
  return total;
}

interface Sums {
  readonly stats: Record<ModelKey, ModelStats>;
  readonly unchecked: number;
  readonly foreign: number;
}

async function addUp(
  record: EvaluationRecord,
  round: number,
  shards: AsyncIterable<ShardStats>,
): Promise<Sums & { total: AggregateAnswer }> {
  const fold = StatsFold.of(record);
  const total = { ...NOTHING };
  let [unchecked, foreign] = [0, 0];
  for await (const shard of shards) {
    mergeShard(fold, shard);
    unchecked += shard.round === round ? shard.unchecked : 0;
    const row = countRow(shard);
    foreign += shard.foreign ?? 0;
    for (const field of ["finished", "failed", "missing"] as const) total[field] += row[field];
  }
  return { total, stats: fold.stats(), unchecked, foreign };
}

const withSums = (
  { hasLateRuns: _, ...record }: EvaluationRecord,
  { stats, unchecked, foreign }: Sums,
): EvaluationRecord => ({
  ...record,
  stats,
  ...(foreign > 0 ? { foreignEntries: Math.max(foreign, record.foreignEntries ?? 0) } : {}),
  ...(isChecking(record) && record.recheck ? { recheck: { ...record.recheck, unchecked } } : {}),
});

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

interface AlarmDeps extends Pick<DriftWatch, "store" | "warn"> {
  /** Who is told, given the variable that a definition names for its webhook. */
  readonly sendersFor: (webhook: string | undefined) => DriftWatch["senders"];
}

/**
 * Reports an evaluation that got worse. It is an invocation of its own, after the end is stored: one that is lost is
 * made again by the execution, so that an alarm is told at least once, and no trouble with it touches the end.
 */
export async function raiseAlarm({ store, warn, sendersFor }: AlarmDeps, input: unknown): Promise<void> {
  const { evaluationId, round } = AlarmEvent.parse(input);
  const record = await storedRecord(store, evaluationId);
  const { drift } = record;
  if (drift === undefined || record.round !== round || record.status !== "finished") return;
  await tellDrift({ store, drift, warn, senders: sendersFor(drift.webhook) }, record);
}

interface FoldDeps {
  readonly store: Pick<Store, "entries" | "saveShardStats" | "shardStats">;
  /** Called with the runs of a round that ended without a runner that could report them. */
  readonly onLost?: (entries: readonly LogEntry[]) => void;
}

/** Adds up the entries of one shard, and keeps the sum. */
async function foldShardEntries(
  { store, onLost }: FoldDeps,
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

/** What an evaluation took over was reported in its time. */
const isLostNow = (entry: LogEntry, { startedAt }: EvaluationRecord, round: number): boolean =>
  entry.round === round && entry.attempts.length === 0 && entry.endedAt >= startedAt;

/** What a shard of this round says of its runs that may have changed since. */
type IsOpen = (stats: ShardStats) => boolean;

const hasMissing: IsOpen = ({ verdicts }) => verdicts.includes(VERDICT.missing);

/** In order; a shard that this round worked on and nobody folded is folded now, and so is an open one. */
async function* foldedShards(
  parts: FoldDeps,
  record: EvaluationRecord,
  round: number,
  isOpen: IsOpen,
): AsyncGenerator<ShardStats> {
  let next = 0;
  const foldUpTo = async function* (end: number): AsyncGenerator<ShardStats> {
    for (; next < end; next++) yield foldShardEntries(parts, record, round, next);
  };
  for await (const stats of parts.store.shardStats(record.id)) {
    yield* foldUpTo(stats.shard);
    const isStale =
      stats.round < round ? countToDo(stats.verdicts, isChecking(record, round)) > 0 : isOpen(stats);
    yield isStale ? foldShardEntries(parts, record, round, stats.shard) : stats;
    next = stats.shard + 1;
  }
  yield* foldUpTo(countShards(record));
}
