import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  AgentEvaluator,
  type ChatProvider,
  type EvaluationOptions,
  type ModelKey,
  type Verdict,
} from "../../src/index.ts";
import { doing, inProcess } from "../fixtures/run/in-process-options.ts";

// The rules that need no process of their own; isolation.test.ts and broken-runs.test.ts have the others.
const evaluate = (changes: Partial<EvaluationOptions>) => new AgentEvaluator(inProcess(changes)).evaluate();
const keyOf = (text: string) => text as ModelKey;
const ONE = keyOf("scripted/one");
const fail = (message: string) => (): never => {
  throw new Error(message);
};

test("stats are keyed provider/model: the same model through two providers gives two", async () => {
  const { stats, logs } = await evaluate({
    models: [
      ["east", "same"],
      ["west", "same"],
    ],
    providerFactory: (key) => ({
      generate: async () => ({
        ...{ content: key === "east" ? "Lima" : "Cusco", toolCalls: [], finishReason: "stop", id: null },
        usage: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 },
      }),
    }),
  });
  expect(Object.keys(stats)).toEqual(["east/same", "west/same"]);
  expect(stats[keyOf("east/same")]).toMatchObject({ finished: 1, correct: 1, inputTokens: 1 });
  expect(stats[keyOf("west/same")]).toMatchObject({ finished: 1, correct: 0, inputTokens: 1 });
  expect(new Set(logs.map(({ runId }) => runId)).size).toBe(2);
});

test("logs are in plan order, whichever run ends first", async () => {
  const ends: string[] = [];
  const { logs } = await evaluate({
    models: [
      ["scripted", "slow"],
      ["scripted", "fast"],
    ],
    problems: ["a", "b", "c"],
    scripts: { slow: [{ say: "s", latencyMs: 60 }], fast: [{ say: "f" }] },
    onEntry: ({ model, problem }) => ends.push(`${problem} ${model}`),
  });
  expect(ends.slice(0, 3)).toEqual(["a fast", "b fast", "c fast"]);
  const order = ["a slow", "a fast", "b slow", "b fast", "c slow", "c fast"];
  expect(logs.map(({ model, problem }) => `${problem} ${model}`)).toEqual(order);
  expect(logs.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
});

test("every model has stats, also with no problems", async () => {
  const { stats, logs } = await evaluate({
    models: [
      ["scripted", "one"],
      ["scripted", "two"],
    ],
    problems: [],
  });
  expect(logs).toEqual([]);
  expect(Object.keys(stats)).toEqual(["scripted/one", "scripted/two"]);
  expect(stats[ONE]).toMatchObject({ finished: 0, correct: 0, accuracy: null, totalRuntimeSeconds: 0 });
});

test("a problem is an item, an array of exactly two, or named", async () => {
  const given: unknown[] = [];
  const { logs } = await evaluate({
    problems: ["item", ["pair", "p"], ["list", "of", "three"], { problem: ["named", "list"], expected: "n" }],
    buildAgent: (_provider, _model, _tools, problem) => () => ({ problem }),
    resultChecker: (result: { problem: unknown }, expected) => given.push([result.problem, expected]) > 0,
    concurrency: 1,
  });
  const pairs = [
    ["item", null],
    ["pair", "p"],
    [["list", "of", "three"], null],
    [["named", "list"], "n"],
  ];
  expect(given).toEqual(pairs);
  expect(logs.map(({ problem, expected }) => [problem, expected])).toEqual(pairs);
});

test("a problem named with id and tags keeps them", async () => {
  const { logs } = await evaluate({ problems: [{ problem: "a", id: "first", tags: ["easy"] }] });
  expect(logs[0]).toMatchObject({ problemId: "first", tags: ["easy"] });
});

test.each<[verdict: Verdict, correct: boolean | null, score: number | null, reason: string | null]>([
  [true, true, null, null],
  [false, false, null, null],
  [null, null, null, null],
  [{ correct: true, score: 0.75, reason: "close" }, true, 0.75, "close"],
  [{ correct: false, score: 0 }, false, 0, null],
  [{ correct: null, reason: "cannot say" }, null, null, "cannot say"],
])("the checker may be async and return %j", async (verdict, correct, score, reason) => {
  for (const resultChecker of [() => verdict, async () => verdict]) {
    const { logs } = await evaluate({ resultChecker });
    expect(logs[0]).toMatchObject({ correct, score, reason, failure: null, result: "Lima" });
  }
});

test("the checker is not called when there is no result: then correct is null", async () => {
  let calls = 0;
  const { logs } = await evaluate({
    problems: ["throws", "nothing", "null"],
    buildAgent: doing({ throws: fail("no"), nothing: () => undefined, null: () => null }),
    resultChecker: () => ++calls > 0,
  });
  expect(calls).toBe(0);
  expect(logs.map(({ correct, result }) => [correct, result])).toEqual(Array(3).fill([null, null]));
  expect(logs.map(({ failure }) => failure?.cause)).toEqual(["agent_error", "no_answer", "no_answer"]);
});

test.each<[what: string, value: unknown]>([
  ["false", false],
  ["0", 0],
  ["an empty text", ""],
  ["an empty list", []],
])("%s is an answer, and the checker sees it", async (_what, value) => {
  const { logs } = await evaluate({
    buildAgent: () => () => value,
    resultChecker: (result) => result !== null,
  });
  expect(logs[0]).toMatchObject({ result: value, correct: true, failure: null });
});

test.each<[what: string, checker: () => unknown, message: RegExp]>([
  ["throws", fail("the checker fell over"), /the checker fell over/],
  ["rejects", async () => fail("later")(), /later/],
  ["throws no error", () => Promise.reject("a text"), /a text/],
  ["returns a text", () => "yes", /returned "yes"; expected true, false, null, a score, or/],
  ["returns nothing", () => undefined, /expected true, false, null, a score, or/],
  [
    "returns a key that is unknown",
    () => ({ correct: true, explanation: "x" }),
    /unknown key "explanation";/,
  ],
  ["returns an infinite score", () => ({ correct: true, score: Number.POSITIVE_INFINITY }), /numbers up to/],
])("a checker that %s is checker_error, not a wrong answer", async (_what, checker, message) => {
  const { stats, logs } = await evaluate({ resultChecker: checker as () => boolean });
  expect(logs[0]).toMatchObject({ correct: null, result: "Lima", failure: { cause: "checker_error" } });
  expect(logs[0]?.failure).toMatchObject({
    fault: "code",
    message: expect.stringMatching(message),
  });
  expect(stats[ONE]).toMatchObject({ wrong: 0, accuracy: null, failuresByFault: { code: 1 } });
});

const MIXED: Partial<EvaluationOptions> = {
  problems: ["right", "right too", "wrong", "unclear", "throws", "nothing", "provider down"],
  buildAgent: (provider, model, _tools, problem) => async () => {
    if (problem === "throws") throw new Error("thrown");
    if (problem === "nothing") return undefined;
    if (problem !== "provider down") return problem;
    return provider.generate({ model, messages: [{ role: "user", content: "hello" }] });
  },
  resultChecker: (result) => (result === "unclear" ? null : String(result).startsWith("right")),
  scripts: { one: [{ fail: "provider_error" }] },
};

test("every failure has a cause of the closed set and its fault", async () => {
  const { logs } = await evaluate(MIXED);
  const failures = logs.flatMap(({ failure }) => (failure === null ? [] : [[failure.cause, failure.fault]]));
  expect(failures).toEqual([
    ["agent_error", "code"],
    ["no_answer", "model"],
    ["provider_error", "infrastructure"],
  ]);
});

test("finished counts every ended run", async () => {
  const { stats } = await evaluate(MIXED);
  expect(stats[ONE]).toMatchObject({ planned: 7, finished: 7, correct: 2, wrong: 1, unscored: 1, failed: 3 });
});

test("accuracy is correct / (scored + model faults), and the others are beside it", async () => {
  const { stats } = await evaluate(MIXED);
  expect(stats[ONE]).toMatchObject({
    accuracy: 2 / 4,
    accuracyOfScored: 2 / 3,
    accuracyOfAll: 2 / 7,
    failureRate: 3 / 7,
  });
});

test("nothing but a dead process is retried by itself", async () => {
  let built = 0;
  const { logs } = await evaluate({
    ...MIXED,
    buildAgent: (...args) => {
      built++;
      return inProcess(MIXED).buildAgent(...args);
    },
  });
  expect(built).toBe(7);
  expect(logs.map(({ attempts }) => attempts.length)).toEqual(Array(7).fill(1));
});

test("tokens are what the provider reported, metered at the gateway", async () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 30, reasoningTokens: 5 };
  const { stats, logs } = await evaluate({
    buildAgent: (provider, model) => async () => {
      const ask = () => provider.generate({ model, messages: [{ role: "user", content: "hello" }] });
      await ask();
      return (await ask()).content;
    },
    scripts: { one: [{ say: "Lima", usage }] },
  });
  const sum = { inputTokens: 200, outputTokens: 40, cachedInputTokens: 60, reasoningTokens: 10 };
  expect(logs[0]).toMatchObject({ usage: sum, turns: 2 });
  expect(stats[ONE]).toMatchObject({ ...sum, runsWithUnknownUsage: 0 });
});

test("an agent that brings its own SDK reports its usage", async () => {
  const { logs } = await evaluate({
    buildAgent: () => (context) => {
      context.reportUsage({ inputTokens: 7, outputTokens: 3 });
      context.reportUsage({ outputTokens: 1 });
      return "Lima";
    },
    prices: { "scripted/one": { input: 1, output: 2 } },
  });
  expect(logs[0]?.usage).toEqual({
    inputTokens: 7,
    outputTokens: 4,
    cachedInputTokens: 0,
    reasoningTokens: 0,
  });
  expect(logs[0]?.costUsd).toBe(0.000_015);
});

test("an agent without usage keeps its answer", async () => {
  const { stats, logs } = await evaluate({ buildAgent: () => () => "Lima" });
  expect(logs[0]).toMatchObject({ result: "Lima", correct: true, usage: null, costUsd: null });
  expect(stats[ONE]).toMatchObject({ correct: 1, inputTokens: 0, runsWithUnknownUsage: 1 });
});

test("an unknown price is unknown, never 0", async () => {
  const models = [
    ["scripted", "priced"],
    ["scripted", "free"],
    ["scripted", "unknown"],
  ] as const;
  const rule = { say: "Lima", usage: { inputTokens: 1_000, outputTokens: 0 } };
  const { stats, logs } = await evaluate({
    models,
    scripts: { priced: [rule], free: [rule], unknown: [rule] },
    prices: { "scripted/priced": { input: 3, output: 1 }, "scripted/free": { input: 0, output: 0 } },
  });
  expect(logs.map(({ costUsd }) => costUsd)).toEqual([0.003, 0, null]);
  expect(stats[keyOf("scripted/unknown")]).toMatchObject({ costUsd: null, runsWithUnknownCost: 1 });
});

test("runtimeSeconds leaves out the wait for a rate limit", async () => {
  const { logs } = await evaluate({
    scripts: { one: [{ fail: "rate_limited" }] },
    limits: { maxWaitSeconds: 3.5 },
  });
  const [entry] = logs;
  expect(entry?.failure?.cause).toBe("rate_limited");
  expect(entry?.waitSeconds).toBeGreaterThanOrEqual(1.5);
  expect(entry?.runtimeSeconds).toBeLessThan(1.5);
});

test("runtimeSeconds leaves out the wait for other runs", async () => {
  const startedAtMs = Date.now();
  const { logs } = await evaluate({
    problems: ["a", "b", "c", "d"],
    scripts: { one: [{ say: "Lima", latencyMs: 50 }] },
    concurrency: 1,
  });
  const sum = logs.reduce((total, { runtimeSeconds }) => total + runtimeSeconds, 0);
  expect(sum).toBeGreaterThanOrEqual(0.19);
  expect(sum * 1_000).toBeLessThanOrEqual(Date.now() - startedAtMs);
});

test("a bad key fails its own model's runs alone", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"error":{"message":"Incorrect API key provided"}}');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  vi.stubEnv("REFUSING_BASE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("REFUSING_API_KEY", "planted-key");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { stats, logs } = await evaluate({
    models: [
      ["openai-compatible:refusing", "x"],
      ["scripted", "one"],
    ],
    problems: [
      ["a", "Lima"],
      ["b", "Lima"],
    ],
  });
  expect(stats[ONE]).toMatchObject({ finished: 2, correct: 2 });
  expect(stats[keyOf("openai-compatible:refusing/x")]).toMatchObject({
    finished: 2,
    failuresByCause: { provider_error: 2 },
    accuracy: null,
  });
  expect(JSON.stringify(logs)).not.toContain("planted-key");
});

test("runtimeSeconds holds building and running the agent, not the checker", async () => {
  const ask = (provider: ChatProvider) =>
    provider.generate({ model: "one", messages: [{ role: "user", content: "hello" }] });
  const { logs } = await evaluate({
    buildAgent: async (provider) => {
      await ask(provider);
      return async () => (await ask(provider)).content;
    },
    resultChecker: async (_result, _expected, { provider }) =>
      (await ask(provider("scripted"))).content === "Lima",
    scripts: { one: [{ say: "Lima", latencyMs: 60 }] },
  });
  const [entry] = logs;
  if (entry === undefined) throw new Error("no entry");
  const wholeMs = Date.parse(entry.endedAt) - Date.parse(entry.startedAt);
  expect(entry).toMatchObject({ correct: true, turns: 2 });
  expect(entry.runtimeSeconds).toBeGreaterThanOrEqual(0.118);
  expect(entry.runtimeSeconds * 1_000).toBeLessThanOrEqual(wholeMs - 55);
});
