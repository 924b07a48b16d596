import { expect, test } from "vitest";
import type { ModelKey } from "../../../src/domain/model.ts";
import { placeOfRun } from "../../../src/domain/plan.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";
import { changedStore } from "../../fixtures/run/store-with-changes.ts";

const [ONE, TWO] = ["scripted/one" as ModelKey, "scripted/two" as ModelKey];
let asked: string[] = [];

/** Two problems for one model; `asked` has every run that really took place. */
const SMALL: Partial<EvaluationOptions> = {
  name: "growing",
  problems: ["a", "b"],
  concurrency: 1,
  buildAgent: (_provider: unknown, model: string, _tools: unknown, problem: string) => () => {
    asked.push(`${model} ${problem}`);
    console.log(`about ${problem}`);
    return `${problem} `.repeat(5_000);
  },
  resultChecker: () => true,
};
const BOTH: EvaluationOptions["models"] = [
  ["scripted", "one"],
  ["scripted", "two"],
];

test.each<[what: string, more: Partial<EvaluationOptions>, newRuns: string[]]>([
  ["problems", { problems: ["c", "a", "b"] }, ["one c"]],
  ["models", { models: BOTH }, ["two a", "two b"]],
  ["trials", { trials: 3 }, ["one a", "one a", "one b", "one b"]],
  [
    "everything",
    { problems: ["c"], models: BOTH, trials: 2 },
    ["one a", "two a", "two a", "one b", "two b", "two b", "one c", "one c", "two c", "two c"],
  ],
])("with more %s only what is missing is run", async (_what, more, newRuns) => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, SMALL);
  const before = await Array.fromAsync(store.entries(first.id));
  asked = [];
  const { record, stats } = await runInProcess(
    store,
    { ...SMALL, ...more },
    { resume: first.id, grow: true },
  );
  expect(asked).toEqual(newRuns);
  expect(record).toMatchObject({ status: "finished", grownFrom: first.id, name: "growing" });
  const entries = await Array.fromAsync(store.entries(record.id));
  expect(entries).toHaveLength(record.models.length * record.problemCount * record.trials);
  expect(Object.values(stats).reduce((sum, { correct }) => sum + correct, 0)).toBe(entries.length);
  const problems = await Array.fromAsync(store.problems(record.id));
  for (const { index, model, problemId, trial } of entries) {
    const place = placeOfRun(record, index);
    expect([place?.model.model, problems[place?.problem ?? -1]?.id, place?.trial]).toEqual([
      model,
      problemId,
      trial,
    ]);
  }
  expect(await Array.fromAsync(store.entries(first.id))).toEqual(before);
});

test("what is taken over is whole: result, output and times", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, SMALL);
  const { record } = await runInProcess(store, { ...SMALL, trials: 2 }, { resume: first.id, grow: true });
  const [old, taken] = await Promise.all(
    [first.id, record.id].map(async (id) => (await Array.fromAsync(store.entries(id)))[0] as LogEntry),
  );
  expect(taken).toEqual({ ...old, evaluationId: record.id });
  const bodyOf = (entry: LogEntry | undefined) =>
    entry === undefined ? null : store.readBody(entry.evaluationId, entry.runId, entry.round);
  expect(await bodyOf(taken)).toEqual(await bodyOf(old));
});

test("what a process that died took over only in part is taken over on resume, and not run again", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, SMALL);
  let saved = 0;
  const dying = changedStore(store, {
    saveEntry: async (entry, body) => {
      if (++saved > 1) throw new Error("killed");
      return store.saveEntry(entry, body);
    },
  });
  const grown = { ...SMALL, trials: 2 };
  await expect(runInProcess(dying, grown, { resume: first.id, grow: true })).rejects.toThrow("killed");
  const [left] = await store.listEvaluations({ limit: 1 });
  expect(left).toMatchObject({ status: "running", grownFrom: first.id });
  asked = [];
  const { record } = await runInProcess(store, grown, { resume: left?.id ?? first.id });
  expect(asked).toEqual(["one a", "one b"]);
  expect(record).toMatchObject({ id: left?.id, status: "finished" });
});

test("trials are never answered by one another", async () => {
  const store = memoryStore();
  let count = 0;
  const buildAgent = () => () => ++count;
  const { record: first } = await runInProcess(store, { ...SMALL, buildAgent });
  const grown = { ...SMALL, buildAgent, trials: 3 };
  const { record } = await runInProcess(store, grown, { resume: first.id, grow: true });
  const results = (await Array.fromAsync(store.entries(record.id))).map(({ result }) => result);
  expect(new Set(results).size).toBe(6);
});

test("nothing more to run is an ordinary resume", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, SMALL);
  const { record } = await runInProcess(
    store,
    { ...SMALL, problems: ["b"] },
    { resume: first.id, grow: true },
  );
  expect([record.id, record.grownFrom]).toEqual([first.id, null]);
});

test("runs that were stopped get their chance while it grows, and failures stay unless they are retried", async () => {
  const store = memoryStore();
  const stop = new AbortController();
  const buildAgent = (_provider: unknown, _model: string, _tools: unknown, problem: string) => () => {
    if (problem === "a") throw new Error("never");
    stop.abort();
    return new Promise(() => {});
  };
  const { record: first } = await runInProcess(store, { ...SMALL, buildAgent }, { signal: stop.signal });
  const causes = async (retryFailed: boolean) => {
    const setup = { resume: first.id, grow: true, retryFailed };
    const { record } = await runInProcess(store, { ...SMALL, problems: ["c"] }, setup);
    return (await Array.fromAsync(store.entries(record.id))).map(
      ({ failure }) => failure?.cause ?? "answered",
    );
  };
  expect(await causes(false)).toEqual(["agent_error", "answered", "answered"]);
  expect(await causes(true)).toEqual(["answered", "answered", "answered"]);
});

test("a problem that changed under its id stays as it was, and is told of", async () => {
  const store = memoryStore();
  const aProblem = (expected: string) => ({ id: "x", problem: "what?", expected });
  const { record: first } = await runInProcess(store, { ...SMALL, problems: [aProblem("old")] });
  const warnings: string[] = [];
  const { record } = await runInProcess(
    store,
    { ...SMALL, problems: [aProblem("new"), "b"] },
    { resume: first.id, grow: true, listener: { warning: (message) => warnings.push(message) } },
  );
  expect(warnings).toEqual([expect.stringContaining("problem x has changed")]);
  expect((await Array.fromAsync(store.problems(record.id))).map(({ expected }) => expected)).toEqual([
    "old",
    null,
  ]);
});

test("models of an evaluation that grows are compared over the same problems", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, SMALL);
  const { stats } = await runInProcess(store, { ...SMALL, models: BOTH }, { resume: first.id, grow: true });
  expect([stats[ONE]?.planned, stats[TWO]?.planned]).toEqual([2, 2]);
});
