import { describe, expect, test } from "vitest";
import type { ChatProvider } from "../../src/providers/provider.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const ONE = { concurrency: 1 } as const;
const HAIKU = { providerKey: "anthropic", model: "claude-haiku-4-5" };
const tokens = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});

describe.each(["process", "none"] as const)("in isolation %s", (isolation) => {
  test("a judge's tokens and cost stand beside the agent's", async () => {
    const { logs, stats } = await runFile("judged", { ...ONE, isolation, problems: ["good", "bad"] });
    const judged = { judgeUsage: tokens(3_000, 300), judgeCostUsd: 0.036 };
    const agent = { usage: tokens(10, 2), costUsd: 0.000_012, turns: 1 };
    expect(logs).toMatchObject([
      { correct: true, score: 0.9, reason: "3 of 3 judges say correct: it is good", ...agent, ...judged },
      { correct: false, score: 0.2, reason: "3 of 3 judges say wrong: it is not good", ...agent, ...judged },
    ]);
    expect(Object.values(stats)).toMatchObject([
      {
        inputTokens: 20,
        costUsd: 0.000_024,
        judgeInputTokens: 6_000,
        judgeOutputTokens: 600,
        judgeCostUsd: 0.072,
      },
    ]);
  });

  test("a judge without a verdict fails the check, and what it used is known", async () => {
    const { logs } = await runFile("judged", { ...ONE, isolation, problems: ["silent", "limited"] });
    expect(logs.map(({ failure }) => failure)).toMatchObject([
      {
        cause: "checker_error",
        message: expect.stringContaining('the judge judge gave no verdict; it said "Well."'),
      },
      { cause: "checker_error", message: expect.stringContaining("the script answers provider_error") },
    ]);
    // Each of three judges is asked twice.
    expect(logs[0]?.judgeUsage).toEqual(tokens(3_000, 300));
  });
});

test("the limits of a run are not its judge's", async () => {
  const limits = { maxTurns: 1, maxTokens: 100, maxCostUsd: 0.0001 };
  const { logs } = await runFile("judged", { ...ONE, limits, problems: ["good"] });
  expect(logs).toMatchObject([{ correct: true, failure: null }]);
});

test("an unpriced judge is unknown, never free, and one that is not asked costs nothing", async () => {
  const { logs, stats } = await runFile("judged", { ...ONE, prices: {}, problems: ["good"] });
  expect(logs).toMatchObject([{ judgeUsage: tokens(3_000, 300), judgeCostUsd: null }]);
  expect(Object.values(stats)).toMatchObject([{ judgeCostUsd: null, runsWithUnknownJudgeCost: 1 }]);
  const checked = await runFile("judged", {
    ...ONE,
    isolation: "none",
    resultChecker: () => true,
    problems: ["good"],
  });
  expect(checked.logs).toMatchObject([{ judgeUsage: null, judgeCostUsd: null }]);
  expect(Object.values(checked.stats)).toMatchObject([{ judgeCostUsd: null, runsWithUnknownJudgeCost: 0 }]);
});

test("a provider factory serves the judge too, by the price of the model that was called", async () => {
  const usage = tokens(7, 3);
  const provider: ChatProvider = {
    generate: async ({ model }) => {
      const toolCalls = [{ id: "1", name: "verdict", input: { correct: true, score: 1, reason: "fine" } }];
      const isJudge = model === "judge";
      return { content: "x", toolCalls: isJudge ? toolCalls : [], finishReason: "stop", usage, id: null };
    },
  };
  const { logs } = await runFile("judged", {
    ...ONE,
    isolation: "none",
    problems: ["good"],
    providerFactory: async () => provider,
  });
  expect(logs).toMatchObject([{ correct: true, usage, judgeUsage: tokens(21, 9), judgeCostUsd: 0.000_39 }]);
});

test("a checker's own call has the list price of its model, though no run has asked for the list", async () => {
  const { logs } = await runFile("judged", {
    ...ONE,
    isolation: "none",
    problems: ["good"],
    resultChecker: (_result, _expected, { reportUsage }) => {
      reportUsage({ inputTokens: 1_000, outputTokens: 100, cacheWriteTokens: 200 }, HAIKU);
      return true;
    },
  });
  const used = 800 * 1_000 + 200 * 1_250 + 100 * 5_000;
  expect(logs).toMatchObject([{ judgeUsage: tokens(1_000, 100), judgeCostUsd: used / 1e9 }]);
});
