import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";
import { evaluateSteadily } from "../../fixtures/run/evaluate-steadily.ts";
import { changedStore } from "../../fixtures/run/store-with-changes.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

/** 600 runs, in two shards. */
const SMALL = doubles(150);
/** 900 runs, in two shards; 300 of them are new. */
const LARGE: EvaluationOptions = { ...SMALL, trials: 3 };

async function aLargeOne(store: Store = memoryStore()) {
  const cloud = await evaluateInCloud(SMALL, store);
  const { record } = await cloud.run();
  return { cloud, record };
}

test.concurrent("shards take over what ended, and dispatch nothing but the rest", async () => {
  const { cloud, record } = await aLargeOne();
  const grown = await cloud.grow(record.id, { trials: 3 });
  expect(grown.executed.execution.getResult()).toMatchObject({ shards: 2, finished: 900, missing: 0 });
  const dispatched = [...grown.executed.dispatched.keys()];
  expect([dispatched.length, new Set(dispatched.map((run) => run % 3))]).toEqual([300, new Set([2])]);
  expect(grown.record).toMatchObject({ status: "finished", stats: await evaluateSteadily(LARGE) });
  // What was lost nowhere is no news for the metrics.
  expect(grown.executed.lost).toEqual([]);
});

test.concurrent("a shard that is lost while it grows is made up for by a retry, which runs nothing twice", async () => {
  const { cloud, record } = await aLargeOne();
  const gone = await cloud.grow(
    record.id,
    { trials: 3 },
    {
      shard: ({ shard }) => (shard === 1 ? new Error("gone") : null),
    },
  );
  expect(gone.executed.execution.getResult()).toMatchObject({ lostShards: 1, finished: 900, missing: 0 });
  const made = await cloud.retry(gone.record);
  const ran = [...gone.executed.dispatched.keys(), ...made.executed.dispatched.keys()];
  const failed = ran.filter((run) => run % 3 !== 2);
  // Of the runs that were there before only those that failed have another chance, as in every retry.
  const entries = await Array.fromAsync(cloud.store.entries(record.id, { failed: true }));
  expect(failed).toHaveLength(entries.length);
  expect(made.record).toMatchObject({ status: "finished", stats: await evaluateSteadily(LARGE) });
});

test.concurrent("a take-over that breaks is tried again by its shard", async () => {
  const store = memoryStore();
  const { record } = await aLargeOne(store);
  let reads = 0;
  const shaky = changedStore(store, {
    readBody: async (...asked) => {
      if (++reads === 97) throw new Error("socket hang up");
      return store.readBody(...asked);
    },
  });
  const grown = await (await evaluateInCloud(SMALL, shaky)).grow(record.id, { trials: 3 });
  expect(grown.executed.execution.getResult()).toMatchObject({ lostShards: 0, finished: 900, missing: 0 });
  expect(grown.executed.dispatched.size).toBe(300);
  expect(grown.record.stats).toEqual(await evaluateSteadily(LARGE));
});

test.concurrent("one that is cancelled while it grows keeps what it grew out of", async () => {
  const { cloud, record } = await aLargeOne();
  const { id } = await cloud.engine.grow(record.id, { trials: 3 });
  const stopped = await cloud.execute(await cloud.engine.cancel(id));
  expect([stopped.executed.dispatched.size, stopped.record.status]).toEqual([0, "cancelled"]);
  const entries = await Array.fromAsync(cloud.store.entries(id));
  expect(entries.filter(({ failure }) => failure?.cause === "cancelled")).toHaveLength(300);
});

test.concurrent("runs that were lost or stopped before are told apart: a stopped one has its chance", async () => {
  const cloud = await evaluateInCloud(doubles(20));
  let started = 0;
  const first = await cloud.run({
    beforeRun: ({ run }) => (run === 3 ? new Error("killed") : null),
    onRun: async ({ evaluationId }) => {
      if (++started === 30) await cloud.engine.cancel(evaluationId);
    },
  });
  const before = await Array.fromAsync(cloud.store.entries(first.record.id));
  const grown = await cloud.grow(first.record.id, { trials: 3 });
  const stopped = before.filter(({ failure }) => failure?.cause === "cancelled").length;
  expect(grown.executed.dispatched.size).toBe(40 + stopped);
  const after = await Array.fromAsync(cloud.store.entries(grown.record.id, { cause: "crashed" }));
  expect(after.map(({ runId }) => runId)).toEqual([before[3]?.runId]);
  expect(grown.executed.lost).toEqual([]);
});
