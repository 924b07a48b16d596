import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";

/** The flags that a resume needs after its budget was spent, to be filled in; minutes begin anew by themselves. */
export function largerBudget(
  { budget }: EvaluationRecord,
  stats: Readonly<Record<ModelKey, ModelStats>>,
): string {
  const all = Object.values<ModelStats>(stats);
  const limits = [
    { flag: "--budget-usd", limit: budget?.usd, used: sum(all.map(usdOf)) },
    { flag: "--budget-tokens", limit: budget?.tokens, used: sum(all.map(tokensOf)) },
  ].flatMap(({ limit, ...rest }) => (limit === undefined ? [] : [{ ...rest, limit }]));
  const spent = limits.filter(({ limit, used }) => used >= limit);
  // Runs of earlier rounds were paid for too, but the stats no longer hold them.
  const isKnown = spent.length > 0 || budget?.minutes !== undefined;
  return (isKnown ? spent : limits)
    .map(({ flag, limit, used }) => ` ${flag} <more than ${toPlain(Math.max(limit, used))}>`)
    .join("");
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const usdOf = ({ costUsd, judgeCostUsd }: ModelStats): number => (costUsd ?? 0) + (judgeCostUsd ?? 0);

const tokensOf = (stats: ModelStats): number =>
  stats.inputTokens + stats.outputTokens + stats.judgeInputTokens + stats.judgeOutputTokens;

/** As a flag takes it: neither an exponent nor the dust of a sum of fractions. */
const toPlain = (amount: number): string => amount.toFixed(9).replace(/\.?0+$/, "");
