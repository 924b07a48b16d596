import { expect, test } from "vitest";
import { AgentEvaluator } from "../../src/index.ts";
import { readConverseUsage, readMessagesUsage, readOpenaiUsage } from "../../src/providers/usage.ts";
import { startedModelServer } from "../fixtures/models/started-model-server.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";
import { anthropicAnswer, text } from "./anthropic/wire.ts";

const started = startedModelServer();

const chatUsage = (prompt_tokens: number, completion_tokens: number, total_tokens: number, more = {}) => ({
  ...{ prompt_tokens, completion_tokens, total_tokens },
  ...more,
});
const reasoned = (reasoning_tokens: number) => ({ completion_tokens_details: { reasoning_tokens } });

test("reasoning that a server counts beside its output is part of the output", () => {
  expect(readOpenaiUsage(chatUsage(12, 1, 241, reasoned(228)))).toEqual({
    usage: { inputTokens: 12, outputTokens: 229, cachedInputTokens: 0, reasoningTokens: 228 },
  });
});

test("reasoning that is part of the output already is not added once more", () => {
  expect(readOpenaiUsage(chatUsage(12, 229, 241, reasoned(228))).usage).toMatchObject({ outputTokens: 229 });
});

test("a total that is not the sum of its parts is a warning", () => {
  expect(readOpenaiUsage(chatUsage(12, 1, 50, reasoned(3)))).toEqual({
    usage: { inputTokens: 12, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 3 },
    warnings: ["the usage does not add up: 12 tokens of input and 1 of output, but 50 in total"],
  });
});

test("a total that is no number says nothing", () => {
  const { usage, warnings } = readOpenaiUsage({ ...chatUsage(12, 1, 0), total_tokens: "many" });
  expect([usage?.outputTokens, warnings]).toEqual([1, undefined]);
});

test.each([130, 60])("Bedrock's total of %i adds up, with or without the cache", (totalTokens) => {
  const cache = { cacheReadInputTokens: 40, cacheWriteInputTokens: 30 };
  const { usage, warnings } = readConverseUsage({ inputTokens: 50, outputTokens: 10, totalTokens, ...cache });
  expect(usage).toMatchObject({ inputTokens: 120, cachedInputTokens: 40, cacheWriteTokens: 30 });
  expect(warnings).toBeUndefined();
});

test("cached tokens that a server counts beside the details are read", () => {
  expect(readOpenaiUsage(chatUsage(20, 5, 25, { cached_tokens: 10 })).usage).toMatchObject({
    cachedInputTokens: 10,
  });
});

const COMPACTED = {
  ...{ input_tokens: 600, output_tokens: 100 },
  iterations: [
    { type: "compaction", input_tokens: 60_000, output_tokens: 500, cache_creation_input_tokens: 7 },
    { type: "message", input_tokens: 600, output_tokens: 100 },
  ],
};

test("what a Claude used to shorten its context is counted", () => {
  expect(readMessagesUsage(COMPACTED)).toEqual({
    usage: {
      ...{ inputTokens: 60_607, outputTokens: 600, cachedInputTokens: 0, reasoningTokens: 0 },
      cacheWriteTokens: 7,
    },
  });
});

test("an impossible count of an advisor leaves what it used unknown, and nothing else", () => {
  const advisor = { type: "advisor_message", model: "claude-opus-4-7", input_tokens: -1, output_tokens: 1 };
  const { usage, otherUsage } = readMessagesUsage({
    input_tokens: 5,
    output_tokens: 5,
    iterations: [advisor],
  });
  expect([usage?.inputTokens, otherUsage]).toEqual([5, [{ model: "claude-opus-4-7", usage: null }]]);
});

test("what an advisor used is counted at the price of its own model", async () => {
  const usage = {
    ...{ input_tokens: 1_000, output_tokens: 100 },
    iterations: [
      { type: "message", input_tokens: 1_000, output_tokens: 100 },
      { type: "advisor_message", model: "the-advisor", input_tokens: 2_000, output_tokens: 10 },
    ],
  };
  started.server.disturb = () => ({
    kind: "raw",
    body: anthropicAnswer([text("Lima")], "end_turn", { usage }),
  });
  const prices = {
    "anthropic/claude-haiku-4-5": { input: 1, output: 1 },
    "anthropic/the-advisor": { input: 100, output: 100 },
  };
  const evaluator = new AgentEvaluator(inProcess({ models: [["anthropic", "claude-haiku-4-5"]], prices }));
  const [entry] = (await evaluator.evaluate()).logs;
  expect(entry).toMatchObject({
    usage: { inputTokens: 3_000, outputTokens: 110 },
    costUsd: (1_100 + 2_010 * 100) / 1e6,
  });
});
