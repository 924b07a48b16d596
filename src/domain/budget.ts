import * as z from "zod";
import { formatCost, formatCount, plural } from "./format.ts";
import { addWhole } from "./run/amounts.ts";
import type { LogEntry } from "./run/log-entry.ts";
import { toNanoUsd, totalTokens, toUsd } from "./run/usage.ts";

/** Shows how much of a budget is spent: `$0.12 of $5.00`, `1.2k of 10.0k tokens`, `15 minutes`. */
export function budgetParts({ usd, tokens, minutes }: Budget, spent: Spend): string[] {
  return [
    ...(usd === undefined ? [] : [`${formatCost(toUsd(spent.nanoUsd))} of ${formatCost(usd)}`]),
    ...(tokens === undefined ? [] : [`${formatCount(spent.tokens)} of ${formatCount(tokens)} tokens`]),
    ...(minutes === undefined ? [] : [plural(minutes, "minute")]),
  ];
}

/** Limits on all runs of an evaluation together: no further one starts when one of them is reached. */
export const Budget = z
  .strictObject({
    usd: z.number().positive(),
    tokens: z.int().positive(),
    /** From every start or resume on. */
    minutes: z.number().positive().max(525_600),
  })
  .partial();
export type Budget = z.infer<typeof Budget>;

/** Total that the runs of an evaluation, in all its rounds, have used so far; integers, so that any order adds up alike. */
export interface Spend {
  readonly nanoUsd: number;
  readonly tokens: number;
}

export const NO_SPEND: Spend = { nanoUsd: 0, tokens: 0 };

export const addSpends = (a: Spend, b: Spend): Spend => ({
  nanoUsd: addWhole(a.nanoUsd, b.nanoUsd),
  tokens: addWhole(a.tokens, b.tokens),
});

type Spent = Pick<LogEntry, "usage" | "costUsd" | "judgeUsage" | "judgeCostUsd">;

/** Adds up what a run used, its judge included; what is not known does not count. */
export const spendOf = ({ usage, costUsd, judgeUsage, judgeCostUsd }: Spent): Spend => ({
  nanoUsd: addWhole(toNanoUsd(costUsd ?? 0), toNanoUsd(judgeCostUsd ?? 0)),
  tokens: [usage, judgeUsage].reduce((sum, used) => addWhole(sum, used === null ? 0 : totalTokens(used)), 0),
});

/** Computes when a budget's minutes are over, for an evaluation that starts or goes on now. */
export const deadlineOf = (budget: Budget | null, now: Date): string | null =>
  budget?.minutes === undefined ? null : new Date(now.getTime() + budget.minutes * 60_000).toISOString();

/** Explains why no further run may start; null while one may. */
export function whySpent(
  { budget, deadline }: { readonly budget: Budget | null; readonly deadline: string | null },
  { nanoUsd, tokens }: Spend,
  now: Date,
): string | null {
  if (budget?.usd !== undefined && nanoUsd >= toNanoUsd(budget.usd)) {
    return `the budget of ${formatCost(budget.usd)} is spent (${formatCost(toUsd(nanoUsd))})`;
  }
  if (budget?.tokens !== undefined && tokens >= budget.tokens) {
    return `the budget of ${plural(budget.tokens, "token")} is spent (${tokens})`;
  }
  if (deadline !== null && now.getTime() >= Date.parse(deadline)) {
    return `the budget of ${plural(budget?.minutes ?? 0, "minute")} is over`;
  }
  return null;
}
