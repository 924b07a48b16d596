import type { DurableContext } from "@aws/durable-execution-sdk-js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { executionName } from "../../../src/engine/cloud/executions.ts";
import {
  patience,
  RetryPool,
  retryStrategy,
  spareForEnd,
  spareForRuns,
  spareForShards,
} from "../../../src/engine/cloud/retry-rules.ts";
import { shardWorkflow } from "../../../src/engine/cloud/shard-workflow.ts";
import { countToDo, rangesOf } from "../../../src/engine/owed-runs.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";

/** How many retries there are in it. */
function drain(pool: RetryPool): number {
  let retries = 0;
  while (pool.take()) retries++;
  return retries;
}

test("each of 500 runs may get lost twice, and the execution has operations left", () => {
  expect(drain(spareForRuns(500))).toBe(1_000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), (runs) => {
      expect(runs + 2 * drain(spareForRuns(runs))).toBeLessThanOrEqual(2_500);
    }),
  );
});

test("even if every shard gets lost or is refused, an execution has operations left", () => {
  const counts = fc.record({
    shards: fc.integer({ min: 1, max: 2_500 }),
    inFlight: fc.integer({ min: 1, max: 1_000 }),
  });
  fc.assert(
    fc.property(counts, ({ shards, inFlight }) => {
      const { waits, pool } = spareForShards(shards, inFlight);
      if (shards <= 1_250) expect(waits).toBe(shards);
      expect(shards + waits + 2 * drain(pool)).toBeLessThanOrEqual(2_800);
    }),
  );
});

test("an evaluation of a million runs has retries for shards that are refused", () => {
  expect(drain(spareForShards(2_000, 20).pool)).toBeGreaterThanOrEqual(190);
});

test.each([
  ["Rate Exceeded.", 40],
  ["Rate exceeded", 40],
  ["TooManyRequestsException: slow down", 40],
  ["Throttling", 40],
  ["the shard was killed", 2],
  // The words of a runner that had begun.
  ["table t refused several tries, because it gets too many requests (ThrottlingException)", 2],
])("an invocation that ended with %s is made again %i times", (message, times) => {
  const retry = retryStrategy({ pool: new RetryPool(80), maxLosses: 3 });
  const retried = Array.from({ length: 50 }, (_, place) => retry(new Error(message), place + 1));
  expect(retried.findIndex(({ shouldRetry }) => !shouldRetry)).toBe(times);
});

test("whoever was refused waits longer each time, up to two minutes", () => {
  const retry = retryStrategy({ pool: new RetryPool(80), maxLosses: 3 });
  const seconds = Array.from({ length: 40 }, (_, place) => {
    const { delay } = { delay: {}, ...retry(new Error("Rate Exceeded."), place + 1) };
    return "seconds" in delay ? Number(delay.seconds) : 0;
  });
  expect(seconds[0]).toBeLessThanOrEqual(5);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(120);
  expect(Math.min(...seconds.slice(6))).toBeGreaterThanOrEqual(60);
});

test.each([
  ["the end of an evaluation", 1, spareForEnd()],
  ["each run of a shard", 20, spareForRuns(500)],
  ["the only shard", 1, spareForShards(1, 1).pool],
  ["each of 20 shards in flight, of 200", 20, spareForShards(200, 20).pool],
  ["each of 20 shards in flight, of 2,000", 20, spareForShards(2_000, 20).pool],
  ["each of 20 shards in flight, of 2,500", 20, spareForShards(2_500, 20).pool],
])("%s is refused for hours before it is given up", (_, sharers, pool) => {
  const waits = patience(pool, sharers);
  const retries = Math.floor(drain(pool) / sharers);
  const retry = retryStrategy({ pool: new RetryPool(2 * retries), maxLosses: 1, ...waits });
  const seconds = Array.from({ length: retries }, (_, place) => {
    const { delay } = { delay: {}, ...retry(new Error("Rate Exceeded."), place + 1) };
    return "seconds" in delay ? Number(delay.seconds) : 0;
  });
  expect(seconds.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(3_600);
  // Places that are free again are not left so for longer.
  expect(Math.max(...seconds)).toBeLessThanOrEqual(3_600);
});

test("the more retries there are, the sooner a place that is free again is taken", () => {
  expect(patience(new RetryPool(2_000), 1)).toEqual({ delaySeconds: 5, longestDelaySeconds: 120 });
  expect(patience(new RetryPool(2_000), 20)).toEqual({ delaySeconds: 5, longestDelaySeconds: 864 });
  expect(patience(new RetryPool(2_000), 200)).toEqual({ delaySeconds: 1_350, longestDelaySeconds: 3_600 });
});

test("losses count by themselves, however often an invocation was refused", () => {
  const retry = retryStrategy({ pool: new RetryPool(80), maxLosses: 3 });
  const said = ["Rate Exceeded.", "killed", "Rate Exceeded.", "Rate Exceeded.", "killed", "killed"];
  const retried = said.map((message, place) => retry(new Error(message), place + 1).shouldRetry);
  expect(retried).toEqual([true, true, true, true, true, false]);
});

test("neighbours that got lost alike share a range", () => {
  const cancelled = new Set([4, 7, 9]);
  const ranges = rangesOf([1, 2, 4, 7, 9, 12], (run) => (cancelled.has(run) ? "cancelled" : "crashed"));
  expect(ranges).toEqual([
    { from: 1, to: 3, cause: "crashed" },
    { from: 4, to: 10, cause: "cancelled" },
    { from: 12, to: 13, cause: "crashed" },
  ]);
});

test("only answers are not done again", () => {
  expect(countToDo("+-?.xcat")).toBe(5);
});

test.each([
  ["capitals-1", "capitals-1-2"],
  ["with.dots", /^[0-9a-f]{40}-2$/],
  ["x".repeat(100), /^[0-9a-f]{40}-2$/],
])("the second round of %s has a name that Lambda takes", (id, name) => {
  expect(executionName(EvaluationId.parse(id), 2)).toMatch(name);
  expect(executionName(EvaluationId.parse(id), 2)).toMatch(/^[\w-]{1,64}$/);
});

const models = ["a", "b"].map((model) => ({ providerKey: "scripted", model }));

test.each([
  ["per-model", ["capitals-1.model-0", "capitals-1.model-0", "capitals-1.model-1", "capitals-1.model-1"]],
  ["per-run", ["capitals-1.run-0.1", "capitals-1.run-1.1", "capitals-1.run-2.1", "capitals-1.run-3.1"]],
  ["none", [undefined, undefined, undefined, undefined]],
] as const)("runs are given to tenants %s", async (tenants, expected) => {
  const store = memoryStore();
  const record = anEvaluation({ models, trials: 2, problemCount: 1 });
  await store.createEvaluation(record, [aProblem()]);
  const invoked: unknown[] = [];
  const workflow = shardWorkflow({
    ...{ store, clock: systemClock, runner: "runner", aggregator: "aggregator" },
    ...{ tenants, retryDelaySeconds: 1 },
  });
  const event = { v: 1, evaluationId: record.id, round: 1, shard: 0, runsInFlight: 4 };
  await workflow(event, recordingContext(invoked));
  expect(invoked).toEqual(expected);
});

/** AWS's local runner forgets the tenant, so here is a context that does as it is told and remembers. */
function recordingContext(tenants: unknown[]): DurableContext {
  const context = {
    step: (_name: string, work: () => unknown) => work(),
    invoke: async (_name: string, target: string, _event: unknown, options?: { tenantId?: string }) => {
      if (target === "runner") tenants.push(options?.tenantId);
      return "ended";
    },
    map: async (
      _name: string,
      items: number[],
      each: (item: unknown, run: number, place: number) => unknown,
    ) => {
      const results = await Promise.all(items.map((run, place) => each(context, run, place)));
      return {
        all: results.map((result, index) => ({ result, index, status: "SUCCEEDED" })),
        failureCount: 0,
      };
    },
  };
  return context as unknown as DurableContext;
}
