import type { Comparison } from "../statistics/compare-models.ts";
import { plural } from "./format-count.ts";
import { formatP, formatPoints } from "./format-interval.ts";

/** What a comparison says, in words that do not claim more than it does. */
export function comparisonSentence(first: string, second: string, comparison: Comparison): string {
  const { difference, verdict } = comparison;
  if (difference === null) return `${first} and ${second} have no problem in common.`;
  if (verdict !== "not distinguishable") {
    return `${first} is ${verdict} than ${second}: ${evidence(comparison)}.`;
  }
  return `${first} and ${second} are not distinguishable: ${evidence(comparison)}${needed(comparison)}.`;
}

function evidence({ difference, interval, adjustedP, pairedProblems }: Comparison): string {
  const range = interval === null ? "" : ` (${formatPoints(interval.low)} to ${formatPoints(interval.high)})`;
  const p = formatP(adjustedP);
  return `${formatPoints(difference ?? 0)} points${range}, p ${p.startsWith("<") ? "" : "= "}${p} on ${plural(pairedProblems, "problem")}`;
}

/** How many problems would tell a difference like the one seen, where that can be said. */
const needed = ({ problemsNeeded }: Comparison): string =>
  problemsNeeded === null ? "" : `; about ${problemsNeeded.toLocaleString("en-US")} would tell`;
