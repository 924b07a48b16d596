import { randomBytes } from "node:crypto";
import { BatchItemStatus, type DurableContext } from "@aws/durable-execution-sdk-js";
import type { Clock } from "../../domain/clock.ts";
import { countShards, spanOfShard } from "../../domain/plan.ts";
import { isChecking } from "../../domain/run/verdict.ts";
import type { Store } from "../../store/store.ts";
import { accountForRuns, countToDo, hasUnheardOf, runsToDo } from "../owed-runs.ts";
import { storedRecord } from "../record.ts";
import {
  type AggregateAnswer,
  type AggregateEvent,
  type AlarmEvent,
  EvaluationEvent,
  learnSeal,
  type ShardEvent,
} from "./events.ts";
import {
  everyItem,
  invokeFunction,
  isRefusal,
  MAX_LOSSES,
  patience,
  type RetryPool,
  spareForEnd,
  spareForShards,
} from "./retry-rules.ts";
import { type Shares, shareConcurrency } from "./share-concurrency.ts";

interface EvaluationDeps {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly shard: string;
  readonly aggregator: string;
  /** A few seconds by default. */
  readonly retryDelaySeconds?: number;
  /** How long a runner can live after its shard was lost. */
  readonly longestRunSeconds: number;
}

export interface EvaluationEnd extends AggregateAnswer {
  readonly shards: number;
  readonly lostShards: number;
}

/** What one step can account for in well under the time of an invocation. */
const SHARDS_PER_STEP = 25;

/** A round of an evaluation from its first shard to its stats; a shard that gets lost leaves no hole. */
export const evaluationWorkflow =
  (parts: EvaluationDeps) =>
  async (input: unknown, context: DurableContext): Promise<EvaluationEnd> => {
    const { isStop, isAfterStop, ...place } = EvaluationEvent.parse(input);
    if (isAfterStop) await context.wait("runs-before", { seconds: parts.longestRunSeconds });
    const opened = await context.step("open", () => openRound(parts, place, isAfterStop));
    // Who stops a round does not know the key of the execution that began it.
    const event = isStop ? place : { ...place, seal: opened.seal };
    learnSeal(parts.store, event);
    const lost = await runShards(parts, event, opened, context);
    for (const [place, shards] of inGroups(lost, SHARDS_PER_STEP).entries()) {
      await context.step(`account-${place}`, () => accountForShards(parts, event, shards));
    }
    const total = await aggregate(parts, isStop ? { ...event, isStop } : event, context);
    if (isStop) await aggregateAgain(parts, event, context);
    if (opened.hasDrift && !isStop) await raiseAlarm(parts, event, context);
    return { ...total, shards: opened.shards.length, lostShards: lost.length };
  };

type Place = Omit<EvaluationEvent, "isStop" | "isAfterStop"> & Pick<ShardEvent, "seal">;

interface OpenedRound {
  /** Those that have something to do. */
  readonly shards: readonly number[];
  readonly shares: Shares;
  /** Whether it compares itself with others at its end; of a round that checks was told before. */
  readonly hasDrift: boolean;
  /** Made once: an execution keeps what a step has answered. */
  readonly seal: string;
}

/** Which shards have something to do, and how many runs of each may be in flight. */
async function openRound(
  { store }: EvaluationDeps,
  { evaluationId, round }: Place,
  isAfterStop = false,
): Promise<OpenedRound> {
  const record = await storedRecord(store, evaluationId);
  const sizes = Array.from({ length: countShards(record) }, (_, shard) => {
    const { from, to } = spanOfShard(record, shard);
    return to - from;
  });
  // A shard that was never folded, or before its runs had ended, may have all to do.
  if (round > 1) {
    for await (const stats of store.shardStats(evaluationId)) {
      const mayHaveChanged = isAfterStop && hasUnheardOf(stats);
      if (!mayHaveChanged) sizes[stats.shard] = countToDo(stats.verdicts, isChecking(record, round));
    }
  }
  const shards = sizes.flatMap((size, shard) => (size > 0 ? [shard] : []));
  const owed = sizes.filter((size) => size > 0);
  const shares = shareConcurrency(record.concurrency ?? 1, owed);
  const seal = randomBytes(32).toString("base64url");
  return { shards, shares, hasDrift: record.drift !== undefined && !isChecking(record, round), seal };
}

interface LostShard {
  readonly shard: number;
  /** Whether Lambda would not start it, or some of its runs. */
  readonly wasRefused: boolean;
}

/**
 * Gives back the shards that got lost, once their runs are over: those end by themselves, and until then they are in
 * flight. So a lost shard keeps its place among those in flight for as long as a run of its may take.
 */
async function runShards(
  parts: EvaluationDeps,
  event: Place,
  { shards, shares }: OpenedRound,
  context: DurableContext,
): Promise<readonly LostShard[]> {
  const { pool, waits } = spareForShards(shards.length, shares.shardsInFlight);
  // A shard that began and got lost may still have runs in flight.
  const retries = { pool, maxLosses: 1, ...waitsOf(parts, pool, shares.shardsInFlight) };
  const lateRuns = { seconds: parts.longestRunSeconds };
  const refused = new Set<number>();
  let lost = 0;
  // Gives nothing back: what a map has collected of thousands of shards would be kept once more.
  const runShard = async (item: DurableContext, shard: number, place: number): Promise<void> => {
    const shardEvent: ShardEvent = { ...event, shard, runsInFlight: shares.runsInFlight[place] ?? 1 };
    try {
      await invokeFunction(item, { name: `shard-${shard}`, fn: parts.shard, event: shardEvent, retries });
    } catch (error) {
      if (isRefusal(error)) refused.add(shard);
      else if (lost++ < waits) await item.wait(`late-runs-${shard}`, lateRuns);
      throw error;
    }
  };
  const ends = await context.map("shards", [...shards], runShard, everyItem(shares.shardsInFlight));
  const gone = shards.filter((_, place) => ends.all[place]?.status !== BatchItemStatus.SUCCEEDED);
  if (gone.length - refused.size > waits) await context.wait("late-runs", lateRuns);
  return gone.map((shard) => ({ shard, wasRefused: refused.has(shard) }));
}

const REFUSED =
  "Lambda refused this run for too long, because the account's limit on concurrent functions was reached; ask AWS to raise it or lower concurrency, then retry the evaluation";

async function accountForShards(
  parts: EvaluationDeps,
  { evaluationId, round }: Place,
  shards: readonly LostShard[],
): Promise<void> {
  const record = await storedRecord(parts.store, evaluationId);
  // A result that was not checked again keeps the verdict that it has.
  if (isChecking(record, round)) return;
  for (const { shard, wasRefused } of shards) {
    const runs = await runsToDo(parts.store, record, round, spanOfShard(record, shard));
    const message = wasRefused ? { message: REFUSED } : {};
    await accountForRuns({ ...parts, evaluationId, round, ...message }, runs, () => "crashed");
  }
}

/** Who stops an evaluation does not wait for its runs; those that had begun end all the same, and count. */
async function aggregateAgain(parts: EvaluationDeps, event: Place, context: DurableContext): Promise<void> {
  await context.wait("stopped-runs", { seconds: parts.longestRunSeconds });
  await aggregate(parts, { ...event, isLate: true }, context);
}

async function aggregate(
  parts: EvaluationDeps,
  event: Omit<AggregateEvent, "shard">,
  context: DurableContext,
): Promise<AggregateAnswer> {
  const pool = spareForEnd();
  return invokeFunction(context, {
    name: event.isLate ? "aggregate-again" : "aggregate",
    fn: parts.aggregator,
    event: { ...event, shard: null } satisfies AggregateEvent,
    retries: { pool, maxLosses: MAX_LOST_AGGREGATIONS, ...waitsOf(parts, pool) },
  });
}

/** Without it nobody hears how the evaluation went, so it is tried for longer than a run. */
const MAX_LOST_AGGREGATIONS = 8;

/** After the end is stored, so that nothing here can lose it; an invocation that got lost is made again. */
async function raiseAlarm(parts: EvaluationDeps, event: Place, context: DurableContext): Promise<void> {
  const pool = spareForEnd();
  await invokeFunction(context, {
    name: "alarm",
    fn: parts.aggregator,
    event: { ...event, alarm: true } satisfies AlarmEvent,
    retries: { pool, maxLosses: MAX_LOSSES, ...waitsOf(parts, pool) },
  });
}

/** The waits of whoever uses a pool, unless the first one is given. */
function waitsOf({ retryDelaySeconds }: EvaluationDeps, pool: RetryPool, sharers = 1) {
  const waits = patience(pool, sharers);
  return retryDelaySeconds === undefined ? waits : { ...waits, delaySeconds: retryDelaySeconds };
}

const inGroups = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items.slice(group * size, (group + 1) * size),
  );
