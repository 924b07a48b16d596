import { expect, test } from "vitest";
import { followEvaluation } from "../../../src/cli/remote/watch-evaluation.ts";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import { modelKey } from "../../../src/domain/model.ts";
import type { Run } from "../../../src/domain/plan.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { StatsFold } from "../../../src/domain/stats/stats.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { bodyFor, entryFor, storeEvaluation } from "../../fixtures/records/a-stored-evaluation.ts";

const GONE = "here:gone";

interface Told {
  readonly lines: string[];
  readonly alreadyDone: number[];
}

/** Follows while the steps are done, one before each further look. */
async function follow(store: Store, record: EvaluationRecord, steps: (() => Promise<unknown>)[]) {
  const told: Told = { lines: [], alreadyDone: [] };
  const outcome = await followEvaluation({
    reader: store,
    id: record.id,
    isInterrupted: ({ owner }) => owner === GONE,
    signal: new AbortController().signal,
    clock: {
      now: () => new Date(0),
      monotonicMs: () => 0,
      sleep: async () => void (await steps.shift()?.()),
    },
    listener: {
      started: ({ alreadyDone }) => told.alreadyDone.push(alreadyDone),
      entry: ({ index, round }) => told.lines.push(`${index}/${round}`),
    },
  });
  return { ...told, outcome };
}

async function foldOf(store: Store, record: EvaluationRecord) {
  const fold = new StatsFold(record.models.map(modelKey), record.problemCount * record.trials);
  for await (const entry of store.entries(record.id)) fold.add(entry);
  return fold.stats();
}

const saver =
  (store: Store, record: EvaluationRecord) =>
  (run: Run | undefined, changes: Partial<LogEntry> = {}) =>
    run === undefined
      ? Promise.reject(new Error("no such run"))
      : store.saveEntry(entryFor(record, run, changes), bodyFor(run));

test("every run is told once, in whatever order they end", async () => {
  const store = memoryStore();
  const { record, runs } = await storeEvaluation(store, {
    problems: 2,
    entryOf: ({ index }) => (index === 1 ? {} : null),
  });
  const save = saver(store, record);
  const { lines, alreadyDone, outcome } = await follow(store, record, [
    () => save(runs[3]),
    async () => {},
    () => save(runs[0]),
    async () => {
      await save(runs[2]);
      await store.updateEvaluation({ ...record, status: "finished" });
    },
  ]);
  expect([lines, alreadyDone]).toEqual([["1/1", "3/1", "0/1", "2/1"], [1]]);
  expect(outcome.stats).toEqual(await foldOf(store, record));
});

test("a result that is checked again is told when it is, even if its verdict stays", async () => {
  const store = memoryStore();
  const failed = { failure: failure("timeout", "late"), correct: null, result: null };
  const { record, runs } = await storeEvaluation(store, {
    problems: 2,
    entryOf: ({ index }) => (index === 0 ? failed : {}),
  });
  const recheck = { round: 2, fingerprint: null, runnerVersion: null, unchecked: null };
  const checking = { ...record, round: 2, recheck };
  await store.updateEvaluation(checking);
  const check = saver(store, checking);
  const again = { round: 2, recheckOf: 1 };
  const { lines, alreadyDone, outcome } = await follow(store, checking, [
    () => check(runs[2], again),
    async () => {
      await check(runs[1], again);
      await store.updateEvaluation({ ...checking, status: "finished" });
    },
  ]);
  expect([lines, alreadyDone]).toEqual([["0/1", "2/2", "1/2", "3/1"], [0]]);
  expect(outcome.stats).toEqual(await foldOf(store, record));
});

test("what a retry runs again is told when it has ended again, even as before", async () => {
  const store = memoryStore();
  const failed = { failure: failure("crashed", "lost"), correct: null, result: null };
  const { record, runs } = await storeEvaluation(store, {
    problems: 2,
    entryOf: ({ index }) => (index === 0 ? {} : failed),
    record: { round: 2 },
  });
  const save = saver(store, record);
  const { lines, alreadyDone, outcome } = await follow(store, record, [
    () => save(runs[1], { round: 2 }),
    () => save(runs[2], { ...failed, round: 2 }),
    () => store.updateEvaluation({ ...record, status: "cancelled" }),
  ]);
  expect([lines, alreadyDone]).toEqual([["0/1", "1/2", "2/2", "3/1"], [1]]);
  expect(outcome.stats).toEqual(await foldOf(store, record));
});

test("an evaluation whose process is gone is over, with all that it left", async () => {
  const store = memoryStore();
  const { record, runs } = await storeEvaluation(store, { problems: 2, entryOf: () => null });
  const { lines, outcome } = await follow(store, record, [
    async () => {
      await saver(store, record)(runs[2]);
      await store.updateEvaluation({ ...record, owner: GONE });
    },
  ]);
  expect([lines, outcome.record.status]).toEqual([["2/1"], "running"]);
});
