import { describe, expect, test } from "vitest";
import {
  AgentEvaluator,
  type EvaluationOptions,
  type LogEntry,
  type TranscriptStep,
} from "../../../src/index.ts";
import { KEYS } from "../../fixtures/gateway/open-gateway.ts";
import { startedModelServer } from "../../fixtures/models/started-model-server.ts";
import { runFile } from "../../fixtures/run/run-file.ts";

const models = startedModelServer();

const prices = { "openai/small": { input: 1_000, output: 2_000 } };

/** Every call costs 10 tokens in and 2 out, which is $0.014. */
const answerLima = () =>
  models.server.mock.on(
    {},
    { content: "Lima", usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
  );

const refuse = (status: number, headers: Record<string, string> = {}) =>
  models.server.answerNext({ kind: "raw", status, headers, body: { error: { message: "not today" } } });

async function runOnce(
  problem: unknown,
  options: Partial<EvaluationOptions> = {},
): Promise<{ entry: LogEntry; calls: Extract<TranscriptStep, { kind: "model_call" }>[] }> {
  const { logs, store } = await runFile("own-sdk", { prices, ...options, problems: [problem] });
  const [entry] = logs;
  if (entry === undefined) throw new Error("no entry");
  const body = await store.readBody(entry.evaluationId, entry.runId, entry.round);
  return { entry, calls: (body?.transcript ?? []).filter((step) => step.kind === "model_call") };
}

describe("an agent with an SDK of its own", () => {
  test.each([
    ["process", "environment"],
    ["process", "context"],
    ["pool", "environment"],
    ["pool", "context"],
    ["none", "context"],
  ] as const)("is metered and recorded in isolation %s by way of its %s", async (isolation, way) => {
    answerLima();
    const problems = ["Peru", "peru?", "Peru, please"].map((question) => [`${way} ${question}`, "Lima"]);
    const { logs, store } = await runFile("own-sdk", { isolation, prices, problems });
    expect(models.server.sent).toHaveLength(3);
    for (const entry of logs) {
      expect(entry).toMatchObject({ correct: true, failure: null, turns: 1, costUsd: 0.014 });
      expect(entry.usage).toMatchObject({ inputTokens: 10, outputTokens: 2 });
      const body = await store.readBody(entry.evaluationId, entry.runId, entry.round);
      const question = String(entry.problem).slice(way.length + 1);
      expect(body?.transcript).toMatchObject([
        {
          ...{ kind: "model_call", providerKey: "openai", model: "small", error: null, retries: 0 },
          request: { messages: [{ role: "user", content: question }] },
          reply: { content: "Lima" },
          usage: { inputTokens: 10, outputTokens: 2 },
        },
      ]);
    }
  });

  test("finds the gateway where each SDK looks, and no key", async () => {
    const { entry } = await runOnce("variables", { env: ["OPENAI_API_KEY", "ANTHROPIC_BASE_URL"] });
    const { variables, gateway } = Object(entry.result);
    const { openai, anthropic, gemini } = gateway;
    expect(variables).toEqual({
      OPENAI_BASE_URL: openai.baseURL,
      OPENAI_API_KEY: openai.apiKey,
      ANTHROPIC_BASE_URL: anthropic.baseURL,
      ANTHROPIC_API_KEY: openai.apiKey,
      GOOGLE_GEMINI_BASE_URL: gemini.baseURL,
      GEMINI_API_KEY: openai.apiKey,
    });
    expect(openai.baseURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/openai\/v1$/);
    for (const key of Object.values(KEYS)) expect(JSON.stringify(entry.result)).not.toContain(key);
  });

  test("has a token that no other process has", async () => {
    const { logs } = await runFile("own-sdk", { problems: ["variables", "variables 2", "variables 3"] });
    const tokens = logs.map(({ result }) => Object(result).gateway.openai.apiKey);
    expect(new Set(tokens).size).toBe(3);
  });

  test("gets nothing of it unless the evaluation asks for it", async () => {
    const { entry } = await runOnce("variables", { gateway: false });
    expect(entry.result).toMatchObject({ gateway: null, variables: { OPENAI_API_KEY: null } });
  });

  test("is told that without isolation only the context leads to the gateway", async () => {
    const warnings: string[] = [];
    const listener = { warning: (message: string) => void warnings.push(message) };
    answerLima();
    await runFile("own-sdk", { isolation: "none", problems: ["context Peru"] }, { listener });
    expect(warnings).toEqual([expect.stringContaining("context.gateway")]);
  });
});

test("a request of 3,000 levels is refused with the reason, and fails its own run alone", async () => {
  answerLima();
  const { logs } = await runFile("own-sdk", { problems: ["deep Peru", ["environment Peru", "Lima"]] });
  expect(logs).toMatchObject([
    { failure: { cause: "agent_error", message: expect.stringContaining("deeper than 192 levels") } },
    { failure: null, correct: true },
  ]);
});

describe("the run's limits hold for it", () => {
  test.each([
    [{ maxTurns: 3 }, 3, "asked for model call 4, more than limits.maxTurns (3)"],
    [{ maxTokens: 30 }, 3, "used 36 tokens, more than limits.maxTokens (30)"],
    [{ maxCostUsd: 0.02 }, 2, "cost $0.028, more than limits.maxCostUsd ($0.02)"],
  ])("%o", async (limits, calls, message) => {
    answerLima();
    const { entry } = await runOnce("endless Peru", { limits });
    expect(entry.failure).toEqual({ cause: "limit", fault: "model", message });
    expect([entry.turns, entry.usage?.inputTokens]).toEqual([calls, calls * 10]);
    expect(models.server.sent).toHaveLength(calls);
  });

  test("a stop of the evaluation drops its call", async () => {
    const stop = new AbortController();
    const dropped = Promise.withResolvers<void>();
    models.server.answerNext({ kind: "silence", onAsked: () => stop.abort(), onDropped: dropped.resolve });
    const { logs } = await runFile("own-sdk", {}, { signal: stop.signal });
    await dropped.promise;
    expect(logs[0]?.failure?.cause).toBe("cancelled");
  });

  test("a wait for a rate limit stops its clock", async () => {
    answerLima();
    refuse(429, { "retry-after": "8" });
    const { entry, calls } = await runOnce(["environment Peru", "Lima"], { limits: { timeoutSeconds: 7.9 } });
    expect(entry).toMatchObject({ correct: true, failure: null, turns: 1 });
    expect(entry.waitSeconds).toBeGreaterThanOrEqual(7.99);
    expect(calls).toMatchObject([{ retries: 1 }]);
  });
});

describe("whose fault it is", () => {
  const noWait = { limits: { maxWaitSeconds: 0 } };

  test.each([
    [401, {}, "provider_error", /openai answered 401: not today; check the key in OPENAI_API_KEY/],
    [429, noWait, "rate_limited", /answered 429.*limits\.maxWaitSeconds/],
    [400, {}, "agent_error", /status 400/],
  ])("that a call ends with %i", async (status, options, cause, message) => {
    refuse(status);
    const { entry, calls } = await runOnce("environment Peru", options);
    expect(entry.failure).toMatchObject({ cause, message: expect.stringMatching(message) });
    expect(entry).toMatchObject({ costUsd: 0, turns: 1 });
    expect(calls).toMatchObject([{ reply: null, error: expect.stringContaining("not today") }]);
    expect(models.server.sent).toHaveLength(1);
  });

  test("a failed call that the agent got over is forgotten", async () => {
    refuse(401);
    models.server.answerNext({ kind: "raw", body: { choices: [] } });
    const { entry } = await runOnce("forgiving Peru");
    expect(entry.failure).toBeNull();
    expect(entry).toMatchObject({ result: "", turns: 2, costUsd: null });
  });
});

test("a key that a server repeats reaches neither the agent nor the transcript", async () => {
  models.server.mock.on({}, { content: `the key is ${KEYS.OPENAI_API_KEY}, or sk-ant-secret` });
  const { entry, calls } = await runOnce("keyhole Peru", { env: ["OPENAI_API_KEY"] });
  expect(JSON.stringify([entry, calls])).not.toMatch(/sk-openai-secret|sk-ant-secret/);
  expect(entry.result).toBe(
    "the key is [redacted OPENAI_API_KEY], or [redacted ANTHROPIC_API_KEY]; 2 are hidden",
  );
});

test("a call that the agent leaves behind ends with its run, which does not know what it cost", async () => {
  const dropped = Promise.withResolvers<void>();
  models.server.answerNext({
    kind: "stream",
    events: (async function* () {
      yield { choices: [{ index: 0, delta: { content: "Lima" } }] };
      await dropped.promise;
    })(),
  });
  const { entry, calls } = await runOnce(["hasty Peru", "Lima"]);
  dropped.resolve();
  expect(entry).toMatchObject({ correct: true, failure: null, turns: 1, usage: null, costUsd: null });
  expect(calls).toMatchObject([{ error: "openai: the run has ended", usage: null }]);
});

test("a limit that its calls find is told of", async () => {
  answerLima();
  for (let call = 0; call < 3; call++) refuse(429, { "retry-after-ms": "1" });
  const limits: unknown[] = [];
  const listener = { limited: (...told: unknown[]) => void limits.push(told) };
  const { logs } = await runFile("own-sdk", { trials: 4, concurrency: 4 }, { listener });
  expect(logs.map(({ correct }) => correct)).toEqual([true, true, true, true]);
  expect(limits[0]).toEqual(["openai", expect.any(Number)]);
});

test("one run in this process reaches the gateway by its context", async () => {
  answerLima();
  const { default: options } = await import("../../fixtures/evals/own-sdk.eval.ts");
  const entry = await new AgentEvaluator(options).runOne({ problem: ["context Capital of Peru?", "Lima"] });
  expect(entry).toMatchObject({ correct: true, turns: 1, usage: { inputTokens: 10, outputTokens: 2 } });
});

test("a checker with an SDK of its own is counted apart from the agent", async () => {
  answerLima();
  models.server.mock.prependFixture({
    match: { model: "judge" },
    response: { content: "yes", usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 } },
  });
  const problem = { problem: "environment Peru", expected: "Lima", tags: ["judged"] };
  const { entry } = await runOnce(problem);
  expect(entry).toMatchObject({
    correct: true,
    turns: 1,
    usage: { inputTokens: 10, outputTokens: 2 },
    judgeUsage: { inputTokens: 7, outputTokens: 1 },
  });
});
