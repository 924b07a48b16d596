import { expect, test } from "vitest";
import { budgetParts, NO_SPEND } from "../../src/domain/budget.ts";

const spent = { nanoUsd: 120_000_000, tokens: 1_234 };

test.each([
  [{ usd: 5 }, spent, ["$0.12 of $5.00"]],
  [{ tokens: 10_000 }, spent, ["1.2k of 10.0k tokens"]],
  [{ usd: 1, tokens: 500, minutes: 1 }, NO_SPEND, ["$0 of $1.00", "0 of 500 tokens", "1 minute"]],
  [{}, spent, []],
])("of %j with %j is shown: %j", (budget, spend, parts) => {
  expect(budgetParts(budget, spend)).toEqual(parts);
});
