import { hostname } from "node:os";
import { expect, test } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import { EvaluationId } from "../../../src/domain/ids.ts";
import type { ModelKey } from "../../../src/domain/model.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";

const ONE = "scripted/one" as ModelKey;
const DEAD = `${hostname()}:999999999`;

const FIVE: Partial<EvaluationOptions> = {
  name: "five",
  problems: ["a", "b", "c", "d", "e"],
  concurrency: 2,
  buildAgent: () => () => "Lima",
  resultChecker: () => true,
};

/** "a" ends, "b" and "c" are under way when the evaluation is stopped, "d" and "e" never start. */
async function cancelled(store: Store): Promise<EvaluationRecord> {
  const stop = new AbortController();
  const { record } = await runInProcess(
    store,
    {
      ...FIVE,
      buildAgent: (_provider, _model, _tools, problem) => () => {
        if (problem === "a") return "Lima";
        if (problem === "c") stop.abort();
        return new Promise(() => {});
      },
    },
    { signal: stop.signal },
  );
  return record;
}

const entriesOf = async (store: Store, { id }: EvaluationRecord) => Array.fromAsync(store.entries(id));
const told = ({ problem, round, failure }: LogEntry) => [problem, round, failure?.cause ?? "answered"];

test("a cancelled evaluation keeps what ended and marks what was under way", async () => {
  const store = memoryStore();
  const record = await cancelled(store);
  expect(record).toMatchObject({ status: "cancelled", round: 1, owner: null });
  expect((await entriesOf(store, record)).map(told)).toEqual([
    ["a", 1, "answered"],
    ["b", 1, "cancelled"],
    ["c", 1, "cancelled"],
  ]);
});

const ENDINGS: [what: string, changes: Partial<EvaluationRecord>][] = [
  ["cancelled", {}],
  ["killed while it was being cancelled", { status: "running", owner: DEAD, endedAt: null }],
  ["broken", { status: "broken" }],
];

test.each(ENDINGS)(
  "resumed after it was %s, it opens a new round for the runs that were stopped",
  async (_what, changes) => {
    const store = memoryStore();
    const stopped = { ...(await cancelled(store)), ...changes };
    await store.updateEvaluation(stopped);
    const { record, stats } = await runInProcess(store, FIVE, { resume: stopped.id });
    expect(record).toMatchObject({ id: stopped.id, status: "finished", round: 2 });
    const entries = await entriesOf(store, record);
    expect(entries.map(told)).toEqual([
      ["a", 1, "answered"],
      ["b", 2, "answered"],
      ["c", 2, "answered"],
      ["d", 2, "answered"],
      ["e", 2, "answered"],
    ]);
    expect(stats[ONE]).toMatchObject({ planned: 5, finished: 5, correct: 5, failed: 0 });
    const [, b] = entries;
    const rounds = b === undefined ? [] : await store.rounds(record.id, b.runId);
    expect(rounds.map(told)).toEqual([
      ["b", 1, "cancelled"],
      ["b", 2, "answered"],
    ]);
  },
);

test("resumed after a kill that stopped no run, it goes on in the same round", async () => {
  const store = memoryStore();
  const { record } = await runInProcess(store, { ...FIVE, problems: [] });
  await store.updateEvaluation({ ...record, status: "running", owner: DEAD });
  expect((await runInProcess(store, FIVE, { resume: record.id })).record.round).toBe(1);
});

test("stopped a second time, it is resumed in a third round", async () => {
  const store = memoryStore();
  const { id } = await cancelled(store);
  const stop = new AbortController();
  const never = () => () => {
    stop.abort();
    return new Promise(() => {});
  };
  await runInProcess(store, { ...FIVE, buildAgent: never }, { resume: id, signal: stop.signal });
  const { record, stats } = await runInProcess(store, FIVE, { resume: id });
  expect(record.round).toBe(3);
  expect(stats[ONE]).toMatchObject({ finished: 5, correct: 5, failed: 0 });
});

test("it is the stored plan that is resumed, not the definition of today", async () => {
  const store = memoryStore();
  const { id } = await cancelled(store);
  const today = { ...FIVE, problems: ["x"], models: [["scripted", "two"]], trials: 3 } as const;
  const { stats } = await runInProcess(store, today, { resume: id });
  expect(Object.keys(stats)).toEqual([ONE]);
  expect(stats[ONE]).toMatchObject({ planned: 5, correct: 5 });
});

test("an evaluation that another process still runs is refused", async () => {
  const store = memoryStore();
  const record = await cancelled(store);
  const owner = `${hostname()}:${process.ppid}`;
  await store.updateEvaluation({ ...record, status: "running", owner });
  const resumed = runInProcess(store, FIVE, { resume: record.id });
  await expect(resumed).rejects.toMatchObject({ code: "evaluation.running" });
  await expect(resumed).rejects.toThrow(owner);
});

test("an evaluation that is not there is refused", async () => {
  const resumed = runInProcess(memoryStore(), FIVE, { resume: EvaluationId.parse("nobody-1") });
  await expect(resumed).rejects.toMatchObject({ code: "evaluation.unknown" });
});

test("code that changed since is warned of", async () => {
  const store = memoryStore();
  const record = await cancelled(store);
  await store.updateEvaluation({ ...record, fingerprint: "older" });
  const warnings: string[] = [];
  await runInProcess(store, FIVE, {
    resume: record.id,
    listener: { warning: (text) => warnings.push(text) },
  });
  expect(warnings).toEqual([expect.stringContaining("the evaluation's code changed since it started")]);
});
