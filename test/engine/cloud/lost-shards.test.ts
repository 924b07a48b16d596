import { setTimeout as passed } from "node:timers/promises";
import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { seeded } from "../../fixtures/cloud/simulate-shards.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

/** The smallest shard that there is: it never splits the trials of a pair. */
const SHARD = 251;
const CONCURRENCY = 3;
const models: [string, string][] = [["scripted", "thirds"]];
const shards = (count: number) => doubles(count, { models, trials: SHARD, concurrency: CONCURRENCY });
const [RUN_MS, LONGEST_RUN_SECONDS] = [1_000, 3];

/** The last two runs that a shard dispatches before it is gone outlive it. */
async function loseShards(count: number, killedAt: ReadonlyMap<number, number>) {
  const cloud = await evaluateInCloud(shards(count));
  const { record, executed } = await cloud.run({
    longestRunSeconds: LONGEST_RUN_SECONDS,
    killShardAfter: ({ shard }) => killedAt.get(shard) ?? null,
    onRun: async ({ run }) => {
      const left = (killedAt.get(Math.floor(run / SHARD)) ?? -1) - (run % SHARD);
      if (left === 1 || left === 2) await passed(RUN_MS);
    },
  });
  const entries = await Array.fromAsync(cloud.store.entries(record.id));
  return { record, executed, entries };
}

test.concurrent("runs that outlive their shard count for the concurrency until they end", async () => {
  const { record, executed, entries } = await loseShards(4, new Map([[1, 100]]));
  expect(executed.execution.getResult()).toMatchObject({ shards: 4, lostShards: 1, finished: 4 * SHARD });
  expect(executed.peak).toBe(CONCURRENCY);
  const crashed = entries.filter(({ failure }) => failure?.cause === "crashed");
  expect(crashed.map(({ index }) => index)).toEqual(
    Array.from({ length: SHARD - 100 }, (_, place) => SHARD + 100 + place),
  );
  expect(record.status).toBe("finished");
});

test.concurrent.each([1, 2, 3])("shards killed at seed %i never make one run too many", async (seed) => {
  const random = seeded(seed);
  const killedAt = new Map([0, 1, 3].map((shard) => [shard, 3 + Math.floor(random() * 60)]));
  const { record, executed, entries } = await loseShards(4, killedAt);
  expect(executed.execution.getResult()).toMatchObject({ lostShards: 3, finished: 4 * SHARD, missing: 0 });
  expect(executed.peak).toBe(CONCURRENCY);
  expect(entries.map(({ index }) => index)).toEqual(Array.from({ length: 4 * SHARD }, (_, index) => index));
  const answered = entries.filter(({ attempts }) => attempts.length > 0);
  expect(answered).toHaveLength(SHARD + [...killedAt.values()].reduce((sum, runs) => sum + runs, 0));
  expect(record.status).toBe("finished");
});
