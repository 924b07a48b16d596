import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addSpends,
  Budget,
  deadlineOf,
  NO_SPEND,
  type Spend,
  spendOf,
  whySpent,
} from "../../src/domain/budget.ts";

const NOON = new Date("2026-01-01T12:00:00.000Z");
const usage = (inputTokens: number, outputTokens: number) => ({
  ...{ inputTokens, outputTokens },
  cachedInputTokens: inputTokens,
  reasoningTokens: outputTokens,
});

test.each<[what: string, budget: Budget, spend: Spend, why: string | null]>([
  ["under it", { usd: 1, tokens: 10 }, { nanoUsd: 999_999_999, tokens: 9 }, null],
  [
    "no tokens left",
    { usd: 1, tokens: 10 },
    { nanoUsd: 0, tokens: 10 },
    "the budget of 10 tokens is spent (10)",
  ],
  [
    "no dollars left",
    { usd: 1 },
    { nanoUsd: 1_020_000_000, tokens: 0 },
    "the budget of $1.00 is spent ($1.02)",
  ],
  ["none at all", {}, { nanoUsd: 9e18, tokens: 9e15 }, null],
])("a budget with %s", (_what, budget, spend, why) => {
  expect(whySpent({ budget, deadline: null }, spend, NOON)).toBe(why);
});

test("minutes are over when their deadline is reached", () => {
  const budget = { minutes: 1.5 };
  const deadline = deadlineOf(budget, NOON);
  expect(deadline).toBe("2026-01-01T12:01:30.000Z");
  const whyAt = (iso: string) => whySpent({ budget, deadline }, NO_SPEND, new Date(iso));
  expect(whyAt("2026-01-01T12:01:29.999Z")).toBeNull();
  expect(whyAt("2026-01-01T12:01:30.000Z")).toBe("the budget of 1.5 minutes is over");
  expect([deadlineOf({ usd: 1 }, NOON), deadlineOf(null, NOON)]).toEqual([null, null]);
});

test("a run spends what it and its judge used; what is not known does not count", () => {
  const used = { usage: usage(10, 5), costUsd: 0.1, judgeUsage: usage(3, 2), judgeCostUsd: 0.2 };
  expect(spendOf(used)).toEqual({ nanoUsd: 300_000_000, tokens: 20 });
  expect(spendOf({ usage: null, costUsd: null, judgeUsage: null, judgeCostUsd: null })).toEqual(NO_SPEND);
});

test("spends add up alike in any order", () => {
  const amount = fc.integer({ min: 0, max: 1e12 });
  const spends = fc.array(fc.record({ nanoUsd: amount, tokens: amount }), { maxLength: 20 });
  fc.assert(
    fc.property(spends, (list) => {
      expect(list.toReversed().reduce(addSpends, NO_SPEND)).toEqual(list.reduce(addSpends, NO_SPEND));
    }),
  );
});

test.each([{ usd: 0 }, { tokens: 1.5 }, { minutes: -1 }, { dollars: 5 }])("%j is no budget", (budget) => {
  expect(Budget.safeParse(budget).success).toBe(false);
});
