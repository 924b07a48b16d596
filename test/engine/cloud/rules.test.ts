import type { DurableContext } from "@aws/durable-execution-sdk-js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { executionName } from "../../../src/engine/cloud/executions.ts";
import {
  attemptsEach,
  lostShardWaits,
  retryRefusedInvocations,
} from "../../../src/engine/cloud/retry-rules.ts";
import { shardWorkflow } from "../../../src/engine/cloud/shard-workflow.ts";
import { countToDo, rangesOf } from "../../../src/engine/owed-runs.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";

test.each([
  [1, 3],
  [500, 3],
  [501, 2],
  [833, 2],
  [834, 1],
  [1_000, 1],
  [2_500, 1],
])("each of %i things is invoked up to %i times", (count, attempts) => {
  expect(attemptsEach(count)).toBe(attempts);
});

test("even if everything fails every time, an execution has operations left", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_500 }), (count) => {
      expect(count * (1 + 2 * (attemptsEach(count) - 1))).toBeLessThanOrEqual(2_500);
    }),
  );
});

test("even if every shard gets lost, each is waited for and an execution has operations left", () => {
  const counts = fc.record({
    shards: fc.integer({ min: 1, max: 2_500 }),
    inFlight: fc.integer({ min: 1, max: 1_000 }),
  });
  fc.assert(
    fc.property(counts, ({ shards, inFlight }) => {
      const waits = lostShardWaits(shards, inFlight);
      if (shards <= 1_250) expect(waits).toBe(shards);
      const invocations = shards * (1 + 2 * (attemptsEach(shards, 1) - 1));
      expect(invocations + Math.min(shards, waits === 0 ? 0 : waits + inFlight)).toBeLessThanOrEqual(2_850);
    }),
  );
});

test.each([
  ["Rate Exceeded.", true],
  ["TooManyRequestsException: slow down", true],
  ["Throttling", true],
  ["the shard was killed", false],
])("a shard that ended with %s is invoked again: %s", (message, shouldRetry) => {
  const { retryStrategy } = retryRefusedInvocations(3, 1);
  expect(retryStrategy(new Error(message), 1).shouldRetry).toBe(shouldRetry);
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
