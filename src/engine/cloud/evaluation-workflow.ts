import { BatchItemStatus, type DurableContext, NestingType, withRetry } from "@aws/durable-execution-sdk-js";
import type { Clock } from "../../domain/clock.ts";
import { MAX_INVOCATION_SECONDS } from "../../domain/cloud-limits.ts";
import { countShards, spanOfShard } from "../../domain/run-number.ts";
import { shareConcurrency } from "../../domain/share-concurrency.ts";
import type { Store } from "../../store/contract.ts";
import { accountForRuns } from "./account-for-runs.ts";
import { type AggregateAnswer, type AggregateEvent, EvaluationEvent, type ShardEvent } from "./events.ts";
import { attemptsEach, retryInvocations, retryRefusedInvocations } from "./retry-rules.ts";
import { countToDo, runsToDo } from "./runs-to-do.ts";
import type { ShardEnd } from "./shard-workflow.ts";
import { storedRecord } from "./stored-record.ts";

export interface EvaluationParts {
  readonly store: Pick<Store, "findEvaluation" | "entries" | "saveRange" | "shardStats">;
  readonly clock: Pick<Clock, "now">;
  readonly shard: string;
  readonly aggregator: string;
  /** A few seconds by default. */
  readonly retryDelaySeconds?: number;
  /** How long a runner can live after its shard was lost. */
  readonly longestRunSeconds?: number;
}

export interface EvaluationEnd extends AggregateAnswer {
  readonly shards: number;
  readonly lostShards: number;
}

/** A round of an evaluation from its first shard to its stats; a shard that gets lost leaves no hole. */
export const evaluationWorkflow =
  (parts: EvaluationParts) =>
  async (input: unknown, context: DurableContext): Promise<EvaluationEnd> => {
    const event = EvaluationEvent.parse(input);
    const { shards, shares } = await context.step("open", () => openRound(parts, event));
    const retry = retryRefusedInvocations(attemptsEach(shards.length), parts.retryDelaySeconds);
    const ends = await context.map(
      "shards",
      shards,
      (item, shard, place) => {
        const shardEvent: ShardEvent = { ...event, shard, runsInFlight: shares.runsInFlight[place] ?? 1 };
        return withRetry(
          item,
          (again, attempt) =>
            again.invoke<ShardEvent, ShardEnd>(`shard-${shard}-${attempt}`, parts.shard, shardEvent),
          retry,
        );
      },
      {
        maxConcurrency: shares.shardsInFlight,
        nesting: NestingType.FLAT,
        completionConfig: { toleratedFailurePercentage: 100 },
      },
    );
    const lost = ends.all.flatMap(({ index, status }) =>
      status === BatchItemStatus.SUCCEEDED ? [] : (shards[index] ?? []),
    );
    if (lost.length > 0) {
      await context.wait("late-runs", { seconds: parts.longestRunSeconds ?? MAX_INVOCATION_SECONDS });
      await context.step("account", () => accountForShards(parts, event, lost));
    }
    const total = await aggregate(parts, event, context);
    return { ...total, shards: shards.length, lostShards: lost.length };
  };

/** Which shards have something to do, and how many runs of each may be in flight. */
async function openRound({ store }: EvaluationParts, { evaluationId, round }: EvaluationEvent) {
  const record = await storedRecord(store, evaluationId);
  const sizes = Array.from({ length: countShards(record) }, (_, shard) => {
    const { from, to } = spanOfShard(record, shard);
    return to - from;
  });
  // A shard that was never folded has all to do.
  if (round > 1) {
    for await (const { shard, verdicts } of store.shardStats(evaluationId))
      sizes[shard] = countToDo(verdicts);
  }
  const shards = sizes.flatMap((size, shard) => (size > 0 ? [shard] : []));
  const owed = sizes.filter((size) => size > 0);
  return { shards, shares: shareConcurrency(record.concurrency ?? 1, owed) };
}

async function accountForShards(
  parts: EvaluationParts,
  { evaluationId, round }: EvaluationEvent,
  shards: readonly number[],
): Promise<void> {
  const record = await storedRecord(parts.store, evaluationId);
  for (const shard of shards) {
    const runs = await runsToDo(parts.store, evaluationId, round, spanOfShard(record, shard));
    await accountForRuns({ ...parts, evaluationId, round }, runs, () => "crashed");
  }
}

async function aggregate(
  { aggregator, retryDelaySeconds }: EvaluationParts,
  event: EvaluationEvent,
  context: DurableContext,
): Promise<AggregateAnswer> {
  return withRetry(
    context,
    (again, attempt) =>
      again.invoke<AggregateEvent, AggregateAnswer>(`aggregate-${attempt}`, aggregator, {
        ...event,
        shard: null,
      }),
    retryInvocations(MAX_AGGREGATIONS, retryDelaySeconds),
  );
}

/** Without it nobody hears how the evaluation went, so it is tried for longer than a run. */
const MAX_AGGREGATIONS = 8;
