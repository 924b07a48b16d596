import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvaluationId } from "../../../src/domain/ids.ts";
import { modelKey } from "../../../src/domain/model.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { RunRange } from "../../../src/domain/run/run-range.ts";
import { StatsFold } from "../../../src/domain/stats/stats.ts";
import type { ShardEvent } from "../../../src/engine/cloud/events.ts";
import { dynamoStore } from "../../../src/store/dynamo/dynamo-store.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { type AwsServers, startAwsServers } from "../../fixtures/aws/aws-servers.ts";
import type { Executed } from "../../fixtures/cloud/cloud-account.ts";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { seeded } from "../../fixtures/cloud/simulate-shards.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";
import { evaluateSteadily } from "../../fixtures/run/evaluate-steadily.ts";
import { changedStore } from "../../fixtures/run/store-with-changes.ts";

let aws: AwsServers;

beforeAll(async () => {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false });
  aws = await startAwsServers(process.env.DYNAMODB_ENDPOINT);
});
afterAll(async () => {
  await LocalDurableTestRunner.teardownTestEnvironment();
  await aws.stop();
});

const openStore = async (): Promise<Store> =>
  dynamoStore({ dynamo: aws.dynamo, table: await aws.createTable(), s3: aws.s3, bucket: "bodies" });

const throttled = () => new Error("Rate Exceeded.");
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

test.concurrent("a thousand runs in trouble add up to what the local engine says", async () => {
  const options = doubles(250);
  const local = await evaluateSteadily(options);
  const cloud = await evaluateInCloud(options, await openStore());
  const { record, executed } = await cloud.run({
    beforeRun: ({ run }, delivery) => (run % 7 === 3 && delivery === 1 ? throttled() : null),
    afterRun: ({ run }, delivery) => (run % 11 === 5 && delivery === 1 ? new Error("socket hang up") : null),
    deliveries: ({ run }) => (run % 13 === 1 ? 2 : 1),
    shard: ({ shard }, delivery) => (shard === 1 && delivery === 1 ? throttled() : null),
    fold: (_, delivery) => (delivery === 1 ? throttled() : null),
  });

  expect(executed.execution.getResult()).toMatchObject({
    shards: 2,
    lostShards: 0,
    finished: 1_000,
    missing: 0,
  });
  expect(executed.peak).toBeLessThanOrEqual(50);
  expect(record).toMatchObject({ status: "finished", stats: local });
  const entries = await readEntries(cloud.store, record.id);
  expect(entries.map(({ index }) => index)).toEqual(numbers(1_000));
  const dispatched = numbers(1_000).map((run) => executed.dispatched.get(run));
  const expected = numbers(1_000).map((run) => (run % 7 === 3 || run % 11 === 5 ? 2 : 1));
  expect(dispatched).toEqual(expected);
  for (const shard of executed.shards) expectSmall(shard);
});

// Most of the time is spent in waits before retries.
test.concurrent.each(numbers(20))("runners and shards killed at seed %i leave no hole", async (seed) => {
  const random = seeded(seed);
  const dead = new Set(numbers(80).filter(() => random() < 0.1));
  const lateDeath = new Set(numbers(80).filter(() => random() < 0.1));
  const killAfter = Math.floor(random() * 90);
  const options = doubles(20, { concurrency: 10 });
  const cloud = await evaluateInCloud(options);
  const { record, executed } = await cloud.run({
    beforeRun: ({ run }, delivery) => (dead.has(run) && delivery < 3 * random() ? new Error("killed") : null),
    afterRun: ({ run }) => (lateDeath.has(run) ? new Error("killed") : null),
    killShardAfter: () => killAfter,
  });

  const entries = await readEntries(cloud.store, record.id);
  expect(entries.map(({ index }) => index)).toEqual(numbers(80));
  expect(record).toMatchObject({ status: "finished", stats: foldAll(entries, record.models) });
  expect(executed.execution.getResult()).toMatchObject({ finished: 80, missing: 0 });
  expect(executed.peak).toBeLessThanOrEqual(10);
  // A run whose answer got lost has its entry, and is not run again.
  const isLost = executed.execution.getResult()?.lostShards === 1;
  if (!isLost) for (const run of lateDeath) expect(entries[run]?.attempts).toHaveLength(1);
});

test.concurrent("a runner that always dies leaves a crashed run, and a retry runs it alone", async () => {
  const cloud = await evaluateInCloud(doubles(20));
  const first = await cloud.run({ beforeRun: ({ run }) => (run % 7 === 3 ? new Error("killed") : null) });
  const died = numbers(80).filter((run) => run % 7 === 3);
  const entries = await readEntries(cloud.store, first.record.id);
  const crashed = entries.filter(({ failure }) => failure?.cause === "crashed");
  expect(crashed.map(({ index }) => index)).toEqual(died);
  expect(died.map((run) => first.executed.dispatched.get(run))).toEqual(died.map(() => 3));
  expect(first.executed.lost).toEqual(died);

  const second = await cloud.retry(first.record);
  const failed = entries.filter(({ failure }) => failure !== null).map(({ index }) => index);
  expect([...second.executed.dispatched.keys()].toSorted((a, b) => a - b)).toEqual(failed);
  expect(second.record.stats).toEqual(await evaluateSteadily(doubles(20)));
  expect(second.record).toMatchObject({ round: 2, status: "finished" });
});

test.concurrent("a cancelled evaluation starts no further run and counts what ended", async () => {
  const ranges: RunRange[] = [];
  const store = withRanges(memoryStore(), (range) => ranges.push(range));
  const cloud = await evaluateInCloud(doubles(150, { concurrency: 20 }), store);
  let started = 0;
  const { record, executed } = await cloud.run({
    onRun: async ({ evaluationId }) => {
      if (++started === 100) await cloud.engine.cancel(evaluationId);
    },
  });

  const entries = await readEntries(cloud.store, record.id);
  const cancelled = entries.filter(({ failure }) => failure?.cause === "cancelled");
  expect(entries.map(({ index }) => index)).toEqual(numbers(600));
  expect(cancelled.length).toBeGreaterThan(450);
  expect(executed.dispatched.size).toBeLessThan(180);
  expect(ranges.map(({ cause }) => cause)).toEqual(["cancelled", "cancelled"]);
  expect(record).toMatchObject({ status: "cancelled", stats: foldAll(entries, record.models) });

  const resumed = await cloud.retry(record);
  expect(resumed.record).toMatchObject({ status: "finished", stats: await evaluateSteadily(doubles(150)) });
});

test.concurrent("a round that is cancelled after it got lost is ended by another execution of it", async () => {
  const cloud = await evaluateInCloud(doubles(150));
  const { id } = await cloud.engine.start({ evaluation: "doubles" });
  const { record, executed } = await cloud.execute(await cloud.engine.cancel(id));
  const entries = await readEntries(cloud.store, id);
  expect(executed.dispatched.size).toBe(0);
  expect(entries.map(({ index }) => index)).toEqual(numbers(600));
  expect(record).toMatchObject({ status: "cancelled", stats: foldAll(entries, record.models) });
  expect(record.endedAt).not.toBeNull();
});

test.concurrent("a lost shard is accounted for by the evaluation, and a retry makes up for it", async () => {
  const cloud = await evaluateInCloud(doubles(150));
  const gone = ({ shard }: ShardEvent) => (shard === 0 ? new Error("gone") : null);
  const { record, executed } = await cloud.run({ shard: gone });
  expect(executed.execution.getResult()).toMatchObject({
    shards: 2,
    lostShards: 1,
    finished: 600,
    missing: 0,
  });
  const entries = await readEntries(cloud.store, record.id);
  expect(entries.slice(0, 500).every(({ failure }) => failure?.cause === "crashed")).toBe(true);
  expect(record).toMatchObject({ status: "finished", stats: foldAll(entries, record.models) });

  const made = await cloud.retry(record);
  expect(made.record.stats).toEqual(await evaluateSteadily(doubles(150)));
});

test.concurrent("an evaluation without problems ends with stats of nothing", async () => {
  const { record } = await (await evaluateInCloud(doubles(0))).run();
  expect(record.status).toBe("finished");
  expect(Object.values(record.stats ?? {}).map(({ finished, planned }) => [finished, planned])).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

const readEntries = (store: Store, id: EvaluationId): Promise<LogEntry[]> =>
  Array.fromAsync(store.entries(id));

/** The same store, and what is saved of ranges is heard. */
const withRanges = (store: Store, hear: (range: RunRange) => void): Store =>
  changedStore(store, {
    saveRange: (range) => {
      hear(range);
      return store.saveRange(range);
    },
  });

function foldAll(entries: readonly LogEntry[], models: { providerKey: string; model: string }[]) {
  const fold = new StatsFold(models.map(modelKey), entries.length / models.length);
  for (const entry of entries) fold.add(entry);
  return fold.stats();
}

/** AWS ends an execution with more operations, and refuses larger payloads and results. */
function expectSmall(shard: Executed["shards"][number]): void {
  expect(shard.getOperations().length).toBeLessThan(3_000);
  expect(JSON.stringify(shard.getResult()).length).toBeLessThan(1_000);
  for (const event of shard.getHistoryEvents())
    expect(JSON.stringify(event).length).toBeLessThan(256 * 1_024);
}
