import { expect, onTestFinished, test, vi } from "vitest";
import { AgentEvaluator, type EvaluationOptions, type LogEntry, type ModelKey } from "../../src/index.ts";
import { doing, inProcess } from "../fixtures/run/in-process-options.ts";

const ONE = "scripted/one" as ModelKey;
const FOUR: Partial<EvaluationOptions> = { problems: ["a", "b", "c", "d"], buildAgent: () => () => "Lima" };

const evaluate = (changes: Partial<EvaluationOptions>) => new AgentEvaluator(inProcess(changes)).evaluate();

function warnings(): string[] {
  const said: string[] = [];
  const spy = vi.spyOn(console, "warn").mockImplementation((text: string) => void said.push(text));
  onTestFinished(() => spy.mockRestore());
  return said;
}

test("onEntry hears of every run once, as it ends", async () => {
  const heard: LogEntry[] = [];
  const { logs } = await evaluate({ ...FOUR, onEntry: (entry: LogEntry) => heard.push(entry) });
  expect(heard.toSorted((a, b) => a.index - b.index)).toEqual(logs);
});

test("onUpdate sees the stats and the logs so far, in plan order", async () => {
  const seen: [finished: number, problems: unknown[]][] = [];
  await evaluate({
    problems: ["slow", "quick"],
    scripts: { one: [{ when: "slow", say: "s", latencyMs: 50 }, { say: "q" }] },
    onUpdate: (stats, logs) => seen.push([stats[ONE]?.finished ?? -1, logs.map(({ problem }) => problem)]),
  });
  expect(seen).toEqual([
    [1, ["quick"]],
    [2, ["slow", "quick"]],
  ]);
});

test("what onUpdate and onEntry are given is a view: changing it changes no result", async () => {
  const { stats, logs } = await evaluate({
    ...FOUR,
    concurrency: 1,
    onEntry: (entry) => void Object.assign(entry, { correct: true, index: -1 }),
    onUpdate: (given, entries) => {
      Object.assign(given, { [ONE]: null });
      for (const entry of entries) Object.assign(entry, { correct: true, result: "forged" });
      (entries as LogEntry[]).length = 0;
    },
    resultChecker: () => false,
  });
  expect(stats[ONE]).toMatchObject({ finished: 4, correct: 0, wrong: 4 });
  expect(logs.map(({ result, correct, index }) => [result, correct, index])).toEqual(
    [0, 1, 2, 3].map((index) => ["Lima", false, index]),
  );
});

test.each([
  [
    "onUpdate",
    "throws",
    () => {
      throw new Error("no more");
    },
  ],
  [
    "onUpdate",
    "rejects",
    async () => {
      throw new Error("no more");
    },
  ],
  [
    "onEntry",
    "throws",
    () => {
      throw new Error("no more");
    },
  ],
  [
    "onEntry",
    "rejects",
    async () => {
      throw new Error("no more");
    },
  ],
] as const)("an %s that %s loses no entry and is told once", async (name, _how, callback) => {
  const said = warnings();
  const { stats, logs } = await evaluate({ ...FOUR, [name]: callback });
  expect(logs).toHaveLength(4);
  expect(stats[ONE]).toMatchObject({ finished: 4 });
  expect(said).toEqual([`agent-evaluator: ${name} threw an error, and the evaluation continues: no more`]);
});

test.each<[what: string, changes: Partial<EvaluationOptions>, cause: string]>([
  [
    "agent",
    {
      buildAgent: doing({
        b: () => {
          throw new Error("thrown");
        },
        ...answers(),
      }),
    },
    "agent_error",
  ],
  [
    "buildAgent",
    {
      buildAgent: (_p, _m, _t, problem) => {
        if (problem === "b") throw new Error("thrown");
        return () => "Lima";
      },
    },
    "agent_error",
  ],
  ["provider factory", { models: [["mine", "one"]], providerFactory: failingFirst() }, "agent_error"],
  [
    "checker",
    {
      resultChecker: (_r, _e, { problem }) => {
        if (problem === "b") throw new Error("thrown");
        return true;
      },
    },
    "checker_error",
  ],
  [
    "result that cannot be stored",
    { buildAgent: doing({ b: () => ({ big: 1n }), ...answers() }) },
    "agent_error",
  ],
])("a throwing %s loses no other run's entry", async (_what, changes, cause) => {
  const { stats, logs } = await evaluate({ ...FOUR, resultChecker: () => true, concurrency: 1, ...changes });
  expect(logs).toHaveLength(4);
  const failed = logs.filter(({ failure }) => failure !== null);
  expect(failed.map(({ failure, correct }) => [failure?.cause, correct])).toEqual([[cause, null]]);
  expect(Object.values(stats)[0]).toMatchObject({ finished: 4, correct: 3, failed: 1 });
});

function answers() {
  return { a: () => "Lima", c: () => "Lima", d: () => "Lima" };
}

function failingFirst(): NonNullable<EvaluationOptions["providerFactory"]> {
  let calls = 0;
  return () => {
    if (++calls === 2) throw new Error("no such provider today");
    return { generate: () => Promise.reject(new Error("not called")) };
  };
}

test("a signal that is aborted stops the runs and keeps what has ended", async () => {
  const stop = new AbortController();
  const { stats, logs, evaluation } = await evaluate({
    problems: ["a", "b", "c", "d", "e"],
    buildAgent: doing({ a: () => "done", b: waitForStop, c: waitForStop }),
    resultChecker: () => true,
    concurrency: 2,
    signal: stop.signal,
    onEntry: () => stop.abort(),
  });
  expect(evaluation.status).toBe("cancelled");
  expect(logs.map(({ problem, failure }) => [problem, failure?.cause ?? null])).toEqual([
    ["a", null],
    ["b", "cancelled"],
  ]);
  expect(stats[ONE]).toMatchObject({ planned: 5, finished: 2, correct: 1, failuresByFault: { stopped: 1 } });
  expect(stats[ONE]?.accuracy).toBe(1);
});

test("a signal that was aborted before starts no run", async () => {
  const { stats, logs, evaluation } = await evaluate({ ...FOUR, signal: AbortSignal.abort() });
  expect([logs, evaluation.status]).toEqual([[], "cancelled"]);
  expect(stats[ONE]).toMatchObject({ planned: 4, finished: 0, accuracy: null });
});

test("an agent hears of the stop through its context", async () => {
  const stop = new AbortController();
  const heard: unknown[] = [];
  await evaluate({
    buildAgent:
      () =>
      async ({ signal }) => {
        signal.addEventListener("abort", () => heard.push("stop"));
        stop.abort();
        return new Promise(() => {});
      },
    signal: stop.signal,
  });
  expect(heard).toEqual(["stop"]);
});

function waitForStop(): Promise<never> {
  return new Promise(() => {});
}
