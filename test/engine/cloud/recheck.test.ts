import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";
import { evaluateSteadily } from "../../fixtures/run/evaluate-steadily.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

const lenient: EvaluationOptions["resultChecker"] = (result: number, expected: number) => result >= expected;

/** An evaluation that ended, and its definition with another checker, deployed since. */
async function anEnded(options: EvaluationOptions) {
  const store = memoryStore();
  const { record } = await (await evaluateInCloud(options, store)).run();
  const cloud = await evaluateInCloud({ ...options, resultChecker: lenient }, store);
  const answers = (await Array.fromAsync(store.entries(record.id, { failed: false }))).length;
  return { cloud, record, store, answers };
}

const checkedIn = (round: number) => (entry: LogEntry) => entry.round === round;

test.concurrent("checks in trouble, delivered twice and cut off, add up as if there was none", async () => {
  const options = doubles(150);
  const { cloud, record, answers } = await anEnded(options);
  const { record: checked, executed } = await cloud.check(record.id, {
    beforeRun: ({ run }, delivery) => (run % 7 === 3 && delivery === 1 ? new Error("Rate Exceeded.") : null),
    afterRun: ({ run }, delivery) => (run % 11 === 5 && delivery === 1 ? new Error("socket hang up") : null),
    deliveries: ({ run }) => (run % 13 === 1 ? 2 : 1),
    fold: (_, delivery) => (delivery === 1 ? new Error("Rate Exceeded.") : null),
  });
  expect(executed.dispatched.size).toBe(answers);
  expect(executed.lost).toEqual([]);
  expect(checked).toMatchObject({ status: "finished", recheck: { round: 2, unchecked: 0 } });
  expect(checked.stats).toEqual(await evaluateSteadily({ ...options, resultChecker: lenient }));
});

test.concurrent("a result whose runner always dies keeps its verdict, and is counted as unchecked", async () => {
  const { cloud, record, store, answers } = await anEnded(doubles(20));
  const dead = ({ run }: { run: number }) => (run < 8 ? new Error("killed") : null);
  const { record: checked } = await cloud.check(record.id, { beforeRun: dead });
  const entries = await Array.fromAsync(store.entries(record.id, { failed: false }));
  const unchecked = entries.filter(({ index }) => index < 8);
  expect(unchecked.every(checkedIn(1))).toBe(true);
  expect(entries.filter(checkedIn(2))).toHaveLength(answers - unchecked.length);
  expect(checked).toMatchObject({ status: "finished", recheck: { unchecked: unchecked.length } });

  const again = await cloud.check(record.id);
  expect(again.record).toMatchObject({ round: 3, recheck: { round: 3, unchecked: 0 } });
});

test.concurrent("a shard that is lost while it checks makes no run crash", async () => {
  const { cloud, record, store } = await anEnded(doubles(150));
  const { record: checked, executed } = await cloud.check(record.id, {
    shard: ({ shard }) => (shard === 0 ? new Error("gone") : null),
  });
  expect(executed.execution.getResult()).toMatchObject({ lostShards: 1, finished: 600, missing: 0 });
  expect(await Array.fromAsync(store.entries(record.id, { cause: "crashed" }))).toEqual([]);
  const [before, after] = [record.stats, checked.stats].map((stats) => Object.values(stats ?? {}));
  expect(after?.map(({ failed }) => failed)).toEqual(before?.map(({ failed }) => failed));
  expect(checked.recheck?.unchecked).toBeGreaterThan(400);
});

test.concurrent("a check that is cancelled leaves the rest as it was, and the evaluation finished", async () => {
  const { cloud, record, answers } = await anEnded(doubles(100, { concurrency: 10 }));
  let started = 0;
  const { record: checked, executed } = await cloud.check(record.id, {
    onRun: async ({ evaluationId }) => {
      if (++started === 30) await cloud.engine.cancel(evaluationId);
    },
  });
  expect(executed.dispatched.size).toBeLessThan(70);
  expect(checked).toMatchObject({ status: "finished", endedAt: record.endedAt });
  const done = answers - (checked.recheck?.unchecked ?? 0);
  expect([done > 0, done <= executed.dispatched.size]).toEqual([true, true]);
});

test.concurrent("what was stopped stays so after a check, and a retry runs it with agents", async () => {
  const options = doubles(20, { budget: { tokens: 300 } });
  const { cloud, record } = await anEnded(options);
  expect(record.status).toBe("cancelled");
  // No budget holds for checks, spent as it is.
  const { record: checked } = await cloud.check(record.id);
  expect(checked).toMatchObject({ status: "cancelled", recheck: { unchecked: 0 } });
  const { id } = await cloud.engine.retry(record.id, { budget: { tokens: 1_000_000 } });
  const whole = await cloud.execute((await cloud.store.findEvaluation(id)) ?? record);
  expect(whole.record).toMatchObject({ status: "finished", round: 3, recheck: { round: 2 } });
  expect(whole.record.stats).toEqual(await evaluateSteadily({ ...doubles(20), resultChecker: lenient }));
});
