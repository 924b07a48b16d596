import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelKey } from "../../../src/domain/model.ts";
import { StatsFold } from "../../../src/domain/stats.ts";
import { aggregate } from "../../../src/engine/cloud/aggregate.ts";
import type { EvaluationOptions } from "../../../src/engine/definition.ts";
import { systemClock } from "../../../src/engine/system-clock.ts";
import { memoryStore } from "../../../src/store/memory-store.ts";
import { anEvaluation, aProblem } from "../../fixtures/a-log-entry.ts";
import { changedStore } from "../../fixtures/changed-store.ts";
import { doubles } from "../../fixtures/doubles.ts";
import { evaluateInCloud } from "../../fixtures/evaluate-in-cloud.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

/** Problems have four runs each, and those of two are under way when the evaluation is stopped. */
const [LAST_EARLY, HELD] = [8, 8];

test("runs that end after a hard stop are part of its stats in the end", async () => {
  const stored = memoryStore();
  const told: (number | undefined)[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const store = changedStore(stored, {
    updateEvaluation: async (record) => {
      await stored.updateEvaluation(record);
      if (record.status !== "cancelled") return;
      told.push(record.stats?.["scripted/thirds" as never]?.failuresByCause.cancelled);
      end();
    },
  });
  const { promise: busy, resolve: isBusy } = Promise.withResolvers<void>();
  let held = 0;
  const buildAgent: EvaluationOptions["buildAgent"] = (_provider, _model, _tools, problem) => async () => {
    if (Number(problem) < LAST_EARLY) return Number(problem) * 2;
    if (++held === HELD) isBusy();
    await ended;
    return Number(problem) * 2;
  };
  const cloud = await evaluateInCloud(doubles(20, { concurrency: HELD, buildAgent }), store);
  const record = await cloud.engine.start({ evaluation: "doubles" });
  const outlived = cloud.execute(record);
  await busy;
  await cloud.engine.cancel(record.id);
  const { record: stopped } = await cloud.stop(record, { longestRunSeconds: 3 });
  await outlived;

  const entries = await Array.fromAsync(cloud.store.entries(record.id));
  expect(entries.filter(({ attempts }) => attempts.length > 0)).toHaveLength(40);
  const fold = new StatsFold(stopped.models.map(modelKey), 40);
  for (const entry of entries) fold.add(entry);
  expect(stopped).toMatchObject({ status: "cancelled", stats: fold.stats() });
  // It ended at once, and was put right when its last run had ended.
  expect(told).toEqual([24, 20]);
  const verdicts = (await Array.fromAsync(cloud.store.verdictRows(record.id))).map((row) => row.verdicts);
  expect(verdicts.join("").indexOf("x")).toBe(40);
}, 60_000);

test.each([
  ["another round", { round: 2, status: "cancelled" }],
  ["a round that is still running", { round: 1, status: "running" }],
] as const)("what ended late changes nothing of %s", async (_, state) => {
  const store = memoryStore();
  const record = anEvaluation({ problemCount: 1, trials: 1, ...state });
  await store.createEvaluation(record, [aProblem()]);
  const event = { v: 1, evaluationId: record.id, round: 1, shard: null, isLate: true };
  await aggregate({ store, clock: systemClock }, event);
  expect(await store.findEvaluation(record.id)).toEqual(record);
});
