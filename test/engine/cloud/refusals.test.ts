import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());
vi.setConfig({ testTimeout: 240_000 });

/** What Lambda says where no more functions may run at once. */
const refusal = () => new Error("Rate Exceeded.");

const oneModel = (problems: number, concurrency: number) =>
  doubles(problems, { models: [["scripted", "thirds"]], trials: 1, concurrency });

test.concurrent("an account that runs 10 at once loses none of 40 runs that come 20 at a time", async () => {
  const places = 10;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let [inFlight, refused] = [0, 0];
  const cloud = await evaluateInCloud(oneModel(40, 20));
  const { record, executed } = await cloud.run({
    onRun: async () => {
      if (inFlight >= places) {
        // The first runs hold their places until each of the others was refused several times.
        if (++refused >= 4 * places) release();
        throw refusal();
      }
      inFlight++;
      await released;
      inFlight--;
    },
  });
  expect(executed.execution.getResult()).toMatchObject({ finished: 40, lostShards: 0, missing: 0 });
  expect(failuresOf(record)).toEqual([{}]);
});

test.concurrent("a shard that was refused more often than it may ask is started again", async () => {
  let refused = 0;
  const cloud = await evaluateInCloud(oneModel(500, 500));
  const { record, executed } = await cloud.run({
    beforeRun: () => (refused++ < 1_500 ? refusal() : null),
  });
  expect(executed.shards.map((shard) => shard.getStatus())).toEqual(["FAILED", "SUCCEEDED"]);
  for (const shard of executed.shards) expect(shard.getOperations().length).toBeLessThan(3_000);
  expect(executed.execution.getResult()).toMatchObject({ finished: 500, lostShards: 0, missing: 0 });
  expect(failuresOf(record)).toEqual([{}]);
});

test.concurrent("a shard that is refused itself is waited for", async () => {
  const cloud = await evaluateInCloud(oneModel(4, 4));
  const { record, executed } = await cloud.run({ shard: (_, delivery) => (delivery < 4 ? refusal() : null) });
  expect(executed.execution.getResult()).toMatchObject({ finished: 4, lostShards: 0, missing: 0 });
  expect(failuresOf(record)).toEqual([{}]);
});

const failuresOf = ({ stats }: EvaluationRecord) =>
  Object.values(stats ?? {}).map(({ failuresByCause }) => failuresByCause);
