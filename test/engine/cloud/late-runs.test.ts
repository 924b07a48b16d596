import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import { type ModelKey, modelKey } from "../../../src/domain/model.ts";
import { StatsFold } from "../../../src/domain/stats/stats.ts";
import { aggregate } from "../../../src/engine/cloud/aggregate.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { evaluateInCloud } from "../../fixtures/cloud/evaluate-in-cloud.ts";
import { aBody, anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";
import { changedStore } from "../../fixtures/run/store-with-changes.ts";

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

/** Problems have four runs each, and those of two are under way when the evaluation is stopped. */
const [LAST_EARLY, HELD] = [8, 8];
const LONGEST_RUN_SECONDS = 3;

/** An evaluation that was cancelled while as many runs as may be were in flight; they go on until they are let go. */
async function stopBusy() {
  const stored = memoryStore();
  const ends: EvaluationRecord[] = [];
  const [released, busy, cancelled] = [signal(), signal(), signal()];
  const store = changedStore(stored, {
    updateEvaluation: async (record, expected) => {
      const updated = await stored.updateEvaluation(record, expected);
      if (record.status === "cancelled") ends.push(record);
      if (record.status === "cancelled") cancelled.resolve();
      return updated;
    },
  });
  let [inFlight, peak] = [0, 0];
  const buildAgent: EvaluationOptions<number>["buildAgent"] =
    (_provider, _model, _tools, problem) => async () => {
      peak = Math.max(peak, ++inFlight);
      if (inFlight === HELD && problem >= LAST_EARLY) busy.resolve();
      if (problem >= LAST_EARLY) await released.promise;
      inFlight--;
      return problem * 2;
    };
  const cloud = await evaluateInCloud(doubles(20, { concurrency: HELD, buildAgent }), store);
  const begun = await cloud.engine.start({ evaluation: "doubles" });
  const outlived = cloud.execute(begun);
  await busy.promise;
  const record = await cloud.engine.cancel(begun.id);
  const stopped = cloud.execute(record, { longestRunSeconds: LONGEST_RUN_SECONDS });
  await cancelled.promise;
  return { cloud, record, ends, outlived, stopped, release: released.resolve, peak: () => peak };
}

const signal = () => Promise.withResolvers<void>();

test("runs that end after a hard stop are part of its stats in the end", async () => {
  const {
    cloud,
    record: { id },
    ends,
    outlived,
    stopped,
    release,
  } = await stopBusy();
  release();
  await Promise.all([outlived, stopped]);
  const entries = await Array.fromAsync(cloud.store.entries(id));
  expect(entries.filter(({ attempts }) => attempts.length > 0)).toHaveLength(40);
  const { record } = await stopped;
  const fold = new StatsFold(record.models.map(modelKey), 40);
  for (const entry of entries) fold.add(entry);
  expect(record).toMatchObject({ status: "cancelled", stats: fold.stats() });
  // It ended at once, and was put right when its last run had ended.
  const left = ends.map(({ stats }) => stats?.["scripted/thirds" as ModelKey]?.failuresByCause.cancelled);
  expect(left).toEqual([24, 20]);
  expect(ends.map(({ hasLateRuns }) => hasLateRuns)).toEqual([true, undefined]);
  const verdicts = (await Array.fromAsync(cloud.store.verdictRows(id))).map((row) => row.verdicts);
  expect(verdicts.join("").indexOf("x")).toBe(40);
});

test("a retry after a hard stop begins when the runs that were in flight have ended", async () => {
  const { cloud, record, outlived, stopped, release, peak } = await stopBusy();
  const retried = await cloud.engine.retry(record.id);
  expect(retried.hasLateRuns).toBeUndefined();
  setTimeout(release, 1_000);
  const { record: whole } = await cloud.execute(retried, { longestRunSeconds: LONGEST_RUN_SECONDS });
  await Promise.all([outlived, stopped]);
  expect(peak()).toBe(HELD);
  expect(whole).toMatchObject({ status: "finished", round: 2 });
  expect(whole).toEqual(await cloud.store.findEvaluation(record.id));
  for (const stats of Object.values(whole.stats ?? {}))
    expect(stats).toMatchObject({ finished: 40, correct: 40 });
});

test("a check after a hard stop begins when the runs that were in flight have ended", async () => {
  const { cloud, record, outlived, stopped, release } = await stopBusy();
  const checking = await cloud.engine.check(record.id);
  expect(checking.hasLateRuns).toBeUndefined();
  setTimeout(release, 1_000);
  const { record: whole } = await cloud.execute(checking, { longestRunSeconds: LONGEST_RUN_SECONDS });
  await Promise.all([outlived, stopped]);
  const entries = await Array.fromAsync(cloud.store.entries(record.id, { failed: false }));
  expect(entries.map(({ round }) => round)).toEqual(Array(40).fill(2));
  expect(whole).toMatchObject({ status: "cancelled", round: 2, recheck: { round: 2, unchecked: 0 } });
  for (const stats of Object.values(whole.stats ?? {})) expect(stats.correct).toBe(20);
});

test("a check after a hard stop hears of runs that ended where nothing had", async () => {
  const cloud = await evaluateInCloud(doubles(5));
  const { id } = await cloud.engine.cancel((await cloud.engine.start({ evaluation: "doubles" })).id);
  const { record } = await cloud.execute({ ...anEvaluation(), id }, { longestRunSeconds: 1 });
  const [first] = await Array.fromAsync(cloud.store.entries(id));
  if (first === undefined) throw new Error("every run is accounted for");
  await cloud.store.updateEvaluation({ ...record, hasLateRuns: true });
  await cloud.store.saveEntry({ ...first, failure: null, result: 0, correct: false }, aBody({ result: 0 }));
  const { record: checked } = await cloud.check(id, { longestRunSeconds: 1 });
  expect(await cloud.store.rounds(id, first.runId)).toMatchObject([{ correct: false }, { correct: true }]);
  expect(Object.values(checked.stats ?? {})[0]).toMatchObject({ correct: 1 });
});

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

test.each([
  ["the end of a round", { status: "running" }, {}],
  ["what ended late", { status: "cancelled" }, { isLate: true }],
] as const)("%s does not undo a retry that begins while it is added up", async (_, state, flags) => {
  const store = memoryStore();
  const record = anEvaluation({ problemCount: 1, trials: 1, ...state });
  await store.createEvaluation(record, [aProblem()]);
  const retried = anEvaluation({ problemCount: 1, trials: 1, round: 2, status: "running" });
  const raced = changedStore(store, {
    updateEvaluation: async (...update) => {
      await store.updateEvaluation(retried);
      return store.updateEvaluation(...update);
    },
  });
  const event = { v: 1, evaluationId: record.id, round: 1, shard: null, ...flags };
  await aggregate({ store: raced, clock: systemClock }, event);
  expect(await store.findEvaluation(record.id)).toEqual(retried);
});
