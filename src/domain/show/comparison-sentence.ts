import type { Comparison } from "../statistics/compare-models.ts";
import { LEVEL } from "../statistics/level.ts";
import { plural } from "./format-count.ts";
import { formatP, formatPoints } from "./format-interval.ts";

/** What a comparison says, in words that do not claim more than it does. */
export function comparisonSentence(first: string, second: string, comparison: Comparison): string {
  const { difference, verdict } = comparison;
  if (difference === null) return `${first} and ${second} have no problem in common.`;
  const says =
    verdict === "not distinguishable"
      ? `${first} and ${second} are ${verdict}`
      : `${first} is ${verdict} than ${second}`;
  return `${says}: ${comparisonEvidence(comparison)}.`;
}

/** What the verdict rests on: `+8.0 points (−1.2 to +17.2), p = 0.13 on 60 problems; about 90 would tell`. */
export function comparisonEvidence(comparison: Comparison): string {
  const { difference, interval, pairedProblems } = comparison;
  const range = interval === null ? "" : ` (${formatPoints(interval.low)} to ${formatPoints(interval.high)})`;
  const points = `${formatPoints(difference ?? 0)} points${range}`;
  return `${points}, ${chance(comparison)} on ${plural(pairedProblems, "problem")}${needed(comparison)}`;
}

/** Where only the correction for several comparisons speaks against a difference, its interval leaves out 0. */
function chance({ pValue, adjustedP }: Comparison): string {
  const isOnlyCorrected = pValue < LEVEL && adjustedP >= LEVEL;
  return isOnlyCorrected ? `${equation(pValue)}, corrected ${formatP(adjustedP)},` : equation(adjustedP);
}

const equation = (p: number): string => {
  const text = formatP(p);
  return text.startsWith("<") ? `p ${text}` : `p = ${text}`;
};

/** How many problems would tell a difference like the one seen, where that can be said. */
const needed = ({ problemsNeeded }: Comparison): string =>
  problemsNeeded === null ? "" : `; about ${problemsNeeded.toLocaleString("en-US")} would tell`;
