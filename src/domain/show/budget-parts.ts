import type { Budget, Spend } from "../budget.ts";
import { toUsd } from "../price.ts";
import { formatCost } from "./format-cost.ts";
import { formatCount, plural } from "./format-count.ts";

/** How much of a budget is spent: `$0.12 of $5.00`, `1.2k of 10.0k tokens`, `15 minutes`. */
export function budgetParts({ usd, tokens, minutes }: Budget, spent: Spend): string[] {
  return [
    ...(usd === undefined ? [] : [`${formatCost(toUsd(spent.nanoUsd))} of ${formatCost(usd)}`]),
    ...(tokens === undefined ? [] : [`${formatCount(spent.tokens)} of ${formatCount(tokens)} tokens`]),
    ...(minutes === undefined ? [] : [plural(minutes, "minute")]),
  ];
}
