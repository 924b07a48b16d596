import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addUsage,
  type CallUsage,
  costNanoUsd,
  NO_USAGE,
  Price,
  toNanoUsd,
  totalTokens,
  toUsd,
  type Usage,
} from "../../../src/domain/run/usage.ts";

const used = (inputTokens: number, outputTokens: number, cachedInputTokens = 0): Usage => ({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  reasoningTokens: 0,
});

const tokens = fc.integer({ min: 0, max: 1_000_000_000 });
const usage = fc.record({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens,
  reasoningTokens: tokens,
});

test.each<[what: string, usage: CallUsage, price: Price, nanoUsd: number]>([
  ["a million input tokens at $2.50", used(1_000_000, 0), { input: 2.5, output: 10 }, 2_500_000_000],
  ["one output token at $10 a million", used(0, 1), { input: 2.5, output: 10 }, 10_000],
  ["cached input at the price of input", used(100, 0, 40), { input: 1, output: 0 }, 100_000],
  ["cached input at its own price", used(100, 0, 40), { input: 1, output: 0, cachedInput: 0.1 }, 64_000],
  ["free cached input", used(100, 0, 40), { input: 1, output: 0, cachedInput: 0 }, 60_000],
  [
    "reasoning as the output it is part of",
    { ...used(0, 10), reasoningTokens: 8 },
    { input: 0, output: 1 },
    10_000,
  ],
  [
    "reasoning at its own price",
    { ...used(0, 10), reasoningTokens: 8 },
    { input: 0, output: 1, reasoning: 0.5 },
    6_000,
  ],
  [
    "what was written to the cache at the price of input",
    { ...used(100, 0, 40), cacheWriteTokens: 10 },
    { input: 1, output: 0, cachedInput: 0 },
    60_000,
  ],
  [
    "what was written to the cache at its own price",
    { ...used(100, 0, 40), cacheWriteTokens: 10 },
    { input: 1, output: 0, cachedInput: 0, cacheWrite: 1.25 },
    62_500,
  ],
  ["a price of nothing", used(5, 5), { input: 0, output: 0 }, 0],
  ["less than a nano-dollar, rounded", used(1, 0), { input: 0.000_4, output: 0 }, 0],
  [
    "more cached than input, as some report it",
    used(0, 0, 40),
    { input: 1, output: 0, cachedInput: 0.1 },
    4_000,
  ],
])("%s costs what it should", (_what, some, price, nanoUsd) => {
  expect(costNanoUsd(some, price)).toBe(nanoUsd);
});

test("a cost is a whole number of nano-dollars and never negative", () => {
  const dollars = fc.double({ min: 0, max: 1_000, noNaN: true });
  const price = fc.record(
    { input: dollars, output: dollars, cachedInput: dollars },
    { requiredKeys: ["input", "output"] },
  );
  fc.assert(
    fc.property(usage, price, (some, at) => {
      const cost = costNanoUsd(some, at);
      expect(Number.isInteger(cost)).toBe(true);
      expect(cost).toBeGreaterThanOrEqual(0);
    }),
  );
});

test("dollars are the same nano-dollars again", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (nano) => {
      expect(toNanoUsd(toUsd(nano))).toBe(nano);
    }),
  );
});

test.each([
  { input: -1, output: 0 },
  { input: Number.NaN, output: 0 },
  { input: 1 },
  { input: 1, output: 1, cache: 1 },
])("%j is no price", (price) => {
  expect(Price.safeParse(price).success).toBe(false);
});

test("usage adds up field by field in any order", () => {
  fc.assert(
    fc.property(fc.array(usage, { maxLength: 10 }), (all) => {
      const sum = all.reduce(addUsage, NO_USAGE);
      expect(all.toReversed().reduce(addUsage, NO_USAGE)).toEqual(sum);
      expect(totalTokens(sum)).toBe(sum.inputTokens + sum.outputTokens);
    }),
  );
});
