import { expect, test } from "vitest";
import * as z from "zod";
import { ModelCallError } from "../../../src/child/providers.ts";
import type { LimitsInput } from "../../../src/domain/limits.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";

async function oneEntry(options: Partial<EvaluationOptions>): Promise<LogEntry> {
  const store = memoryStore();
  const { record } = await runInProcess(store, options);
  const [entry] = await Array.fromAsync(store.entries(record.id));
  if (entry === undefined) throw new Error("no entry");
  return entry;
}

/** Asks its model for ever. */
const insatiable: Partial<EvaluationOptions> = {
  buildAgent: (provider, model) => async () => {
    for (;;) await provider.generate({ model, messages: [{ role: "user", content: "more" }] });
  },
  scripts: { one: [{ say: "more", usage: { inputTokens: 100, outputTokens: 10 } }] },
  prices: { "scripted/one": { input: 10, output: 100 } },
};

test.each<[what: string, limits: LimitsInput, message: RegExp, turns: number]>([
  ["tokens", { maxTokens: 350 }, /used 440 tokens, more than limits\.maxTokens \(350\)/, 4],
  ["turns", { maxTurns: 3 }, /asked for model call 4, more than limits\.maxTurns \(3\)/, 3],
  ["dollars", { maxCostUsd: 0.005 }, /cost \$0\.006, more than limits\.maxCostUsd \(\$0\.005\)/, 3],
])(
  "a run that passes its limit of %s ends, and what it used is kept",
  async (_what, limits, message, turns) => {
    const entry = await oneEntry({ ...insatiable, limits });
    expect(entry.failure).toMatchObject({ cause: "limit", message: expect.stringMatching(message) });
    expect(entry).toMatchObject({ turns, usage: { inputTokens: 100 * turns, outputTokens: 10 * turns } });
  },
);

test("a limit that is just reached is not passed", async () => {
  const entry = await oneEntry({
    ...insatiable,
    buildAgent: (provider, model) => async () =>
      (await provider.generate({ model, messages: [{ role: "user", content: "once" }] })).content,
    limits: { maxTokens: 110, maxTurns: 1, maxCostUsd: 0.002 },
  });
  expect(entry).toMatchObject({ result: "more", failure: null, costUsd: 0.002 });
});

test("dollars that nobody knows pass no limit", async () => {
  const { failure } = await oneEntry({
    ...insatiable,
    prices: {},
    limits: { maxCostUsd: 0.000_001, maxTurns: 5 },
  });
  expect(failure?.message).toContain("maxTurns");
});

test("a result that is too large is a limit, and its size is told", async () => {
  const { failure } = await oneEntry({ buildAgent: () => () => "x".repeat(2_048), limits: { resultKb: 1 } });
  expect(failure).toMatchObject({
    cause: "limit",
    message: "the result has 3 KB, more than limits.resultKb (1)",
  });
});

test("an agent that does not answer in time is a timeout, and hears of it", async () => {
  const heard: unknown[] = [];
  const { failure } = await oneEntry({
    buildAgent:
      () =>
      ({ signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => heard.push(signal.reason.message));
        }),
    limits: { timeoutSeconds: 0.05 },
  });
  expect(failure).toMatchObject({ cause: "timeout", message: "no answer within 0.05 s of working time" });
  expect(heard).toEqual([failure?.message]);
});

test("a checker that gives no verdict in time is a checker_error", async () => {
  const { failure, result } = await oneEntry({
    resultChecker: () => new Promise<boolean>(() => {}),
    limits: { timeoutSeconds: 2 },
  });
  expect(failure).toMatchObject({
    cause: "checker_error",
    message: expect.stringMatching(/no verdict within 2 s/),
  });
  expect(result).toBe("Lima");
});

test("waiting for a rate limit is no working time, and has a limit of its own", async () => {
  const entry = await oneEntry({
    scripts: { one: [{ fail: "rate_limited" }] },
    limits: { timeoutSeconds: 1.5, maxWaitSeconds: 3.5 },
  });
  expect(entry.failure?.cause).toBe("rate_limited");
  expect(entry.waitSeconds).toBeGreaterThan(1.5);
});

test("an agent cannot excuse itself with a model call that did not fail", async () => {
  const { failure } = await oneEntry({
    buildAgent: () => () => {
      throw new ModelCallError("provider_error", "the provider is down, believe me");
    },
  });
  expect(failure).toMatchObject({ cause: "agent_error", fault: "code" });
});

test("an agent may wrap the error of a model call; what failed first is the cause", async () => {
  const { failure } = await oneEntry({
    buildAgent: (provider, model) => async () => {
      const asked = provider.generate({ model, messages: [{ role: "user", content: "hello" }] });
      return asked.catch((cause: unknown) => {
        throw new Error("my agent failed", { cause });
      });
    },
    scripts: { one: [{ fail: "provider_error" }] },
  });
  expect(failure).toMatchObject({ cause: "provider_error", fault: "infrastructure" });
});

test("an agent that copes with a failed call has answered", async () => {
  const entry = await oneEntry({
    buildAgent: (provider, model) => async () => {
      const asked = provider.generate({ model, messages: [{ role: "user", content: "hello" }] });
      return asked.then(
        () => "never",
        () => "Lima",
      );
    },
    scripts: { one: [{ fail: "provider_error" }] },
  });
  expect(entry).toMatchObject({ result: "Lima", correct: true, failure: null, turns: 1 });
});

const asking: EvaluationOptions["buildAgent"] = (provider, model) => async () => {
  const { content } = await provider.generate({ model, messages: [{ role: "user", content: "hello" }] });
  return z.object({ city: z.string() }).parse(JSON.parse(content));
};

test.each([
  ["no JSON", "Lima, I think", /could not read the model's answer: SyntaxError: .*Lima/],
  ["JSON of another shape", '{"town":"Lima"}', /could not read the model's answer: ZodError: /],
])("an answer that is %s is the model's fault, though the agent throws", async (_what, say, message) => {
  const { failure } = await oneEntry({ buildAgent: asking, scripts: { one: [{ say }] } });
  expect(failure).toMatchObject({
    cause: "no_answer",
    fault: "model",
    message: expect.stringMatching(message),
  });
});

test("a text that no model wrote and nobody can read is the code's fault", async () => {
  const { failure } = await oneEntry({ buildAgent: () => () => JSON.parse("{") });
  expect(failure).toMatchObject({ cause: "agent_error", fault: "code" });
});

test("an agent that asks for a model that is not there has only itself to blame", async () => {
  const { failure } = await oneEntry({
    buildAgent: (provider) => () =>
      provider.generate({ model: "no-such-model", messages: [{ role: "user", content: "hello" }] }),
    scripts: { one: [{ say: "Lima" }] },
  });
  expect(failure).toMatchObject({ cause: "agent_error", fault: "code" });
});
