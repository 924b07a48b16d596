import { formatP, formatPoints, plural } from "../domain/format.ts";
import type { Interval } from "../domain/stats/estimate.ts";
import { normalQuantile } from "./distributions.ts";
import type { ModelOutcomes } from "./outcomes.ts";
import { testedInterval } from "./paired-intervals.ts";
import {
  countDifferences,
  type DifferenceSums,
  dropMcnemar,
  dropTest,
  holmAdjusted,
  LEVEL,
  mcnemarExact,
  pairOutcomes,
  signFlipTest,
  sumDifferences,
} from "./paired-tests.ts";
import { seededBits } from "./random.ts";

/** Puts a comparison into words that do not claim more than it does. */
export function comparisonSentence(first: string, second: string, comparison: Comparison): string {
  const { difference, verdict } = comparison;
  if (difference === null) return `${first} and ${second} have no problem in common.`;
  if (verdict === "too early") return `${first} against ${second} ${comparisonEvidence(comparison)}`;
  const says =
    verdict === "not distinguishable"
      ? `No significant difference between ${first} and ${second}`
      : `${first} is significantly ${verdict} than ${second}`;
  return `${says}: ${comparisonEvidence(comparison)}`;
}

/** Gives what the verdict rests on, and what else so many problems could have shown. */
export function comparisonEvidence(comparison: Comparison): string {
  const { difference, interval, pairedProblems, verdict } = comparison;
  const points = `${formatPoints(difference ?? 0)} points`;
  const problems = plural(pairedProblems, "problem");
  if (verdict === "too early") return `so far: ${points} on ${problems}.`;
  const range =
    interval === null ? "" : `95% CI ${formatPoints(interval.low)} to ${formatPoints(interval.high)}, `;
  if (verdict === "not distinguishable")
    return `${points} (${range}${chance(comparison)}). ${power(comparison)}`;
  return `${points} (${range}${chance(comparison)}, ${problems}).`;
}

/** Reason why there is no verdict yet: chance makes a difference for those who look again and again. */
export const TOO_EARLY =
  "Whether that is statistically significant is only reported when all runs have ended.";

/** Where only the correction for several comparisons speaks against a difference, its interval leaves out 0. */
function chance({ pValue, adjustedP }: Comparison): string {
  const isOnlyCorrected = pValue < LEVEL && adjustedP >= LEVEL;
  return isOnlyCorrected ? `${equation(pValue)}, corrected ${formatP(adjustedP)}` : equation(adjustedP);
}

const equation = (p: number): string => {
  const text = formatP(p);
  return text.startsWith("<") ? `p ${text}` : `p = ${text}`;
};

/** What this size can show, and what it takes if the difference is as large as the one seen, which nobody knows. */
function power({ pairedProblems, detectable, difference, problemsNeeded }: Comparison): string {
  const problems = plural(pairedProblems, "problem");
  const size =
    detectable === null
      ? `With ${problems} no difference can be significant`
      : `With ${problems}, differences of about ${Math.ceil(detectable * 100)} points or more can be detected reliably`;
  const seen = formatPoints(difference ?? 0);
  if (problemsNeeded === null || seen === "0.0") return `${size}.`;
  return `${size}; if it really is ${seen}, it takes about ${formatAbout(problemsNeeded)}.`;
}

/** Rounds up to two digits, which is as exact as a guess can be. */
export function formatAbout(count: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return (Math.ceil(count / unit) * unit).toLocaleString("en-US");
}

/** The first model seen from the second, on the problems that both have. */
export interface Comparison {
  readonly pairedProblems: number;
  /** Mean share of right runs per problem, of the first less the second; null without a common problem. */
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly pValue: number;
  /** By Holm, over all comparisons that were made together. */
  readonly adjustedP: number;
  /** Too early while runs are still to come: p-values and interval hold for one look, after the last run. */
  readonly verdict: "better" | "worse" | "not distinguishable" | "too early";
  /** The least true difference that four of five evaluations on so many problems show; null when even all would not. */
  readonly detectable: number | null;
  /** How many problems would do so if the true difference is the one seen; null when it is told, or none was seen. */
  readonly problemsNeeded: number | null;
}

type TwoModels = readonly [first: ModelOutcomes, second: ModelOutcomes];

const SEED = 20;

export function compareModels(first: ModelOutcomes, second: ModelOutcomes): Comparison {
  const tested = testPair([first, second]);
  return judge(tested, tested.pValue, LEVEL);
}

/** Several comparisons at once: the more there are, the more it takes to call one of them a difference. */
export function compareAll(pairs: readonly TwoModels[], isRunning = false): Comparison[] {
  const tested = pairs.map(testPair);
  const adjusted = holmAdjusted(tested.map(({ pValue }) => pValue));
  return tested.map((test, at) => {
    const comparison = judge(test, adjusted[at] ?? 1, LEVEL / pairs.length);
    return isRunning ? { ...comparison, verdict: "too early" } : comparison;
  });
}

interface Tested {
  readonly sums: DifferenceSums;
  readonly interval: Interval | null;
  readonly pValue: number;
}

function testPair([first, second]: TwoModels): Tested {
  const { pairs, isSingleRun } = pairOutcomes(first, second);
  const differences = countDifferences(pairs);
  const sums = sumDifferences(differences);
  if (sums.problems === 0) return { sums, interval: null, pValue: 1 };
  const pValue = isSingleRun
    ? mcnemarExact(differences.get(1) ?? 0, differences.get(-1) ?? 0)
    : signFlipTest(differences, seededBits(SEED));
  return { sums, interval: testedInterval({ differences, isSingleRun, pValue }), pValue };
}

/** Computes how likely as large a drop of each first model would be by chance, by Holm over all of them. */
export const testDrops = (pairs: readonly TwoModels[]): number[] => holmAdjusted(pairs.map(testDrop));

function testDrop([first, second]: TwoModels): number {
  const { pairs, isSingleRun } = pairOutcomes(first, second);
  const differences = countDifferences(pairs);
  return isSingleRun
    ? dropMcnemar(differences.get(1) ?? 0, differences.get(-1) ?? 0)
    : dropTest(differences, seededBits(SEED));
}

function judge({ sums, interval, pValue }: Tested, adjustedP: number, level: number): Comparison {
  const isTold = adjustedP < LEVEL;
  const needed = isTold ? null : problemsNeeded(sums, level);
  return {
    pairedProblems: sums.problems,
    difference: interval === null ? null : sums.mean,
    interval,
    pValue,
    adjustedP,
    verdict: isTold ? tellDirection(sums.mean) : "not distinguishable",
    detectable: detectableDifference(sums, level),
    // The formula is an approximation, and these many have just not told it.
    problemsNeeded: needed === null ? null : Math.max(needed, sums.problems + 1),
  };
}

const tellDirection = (difference: number) => (difference > 0 ? "better" : "worse");

/** How often a difference that is there would be told. */
const POWER = 0.8;
/** A quotient that is whole on paper may be over by so much. */
const ROUNDING = 1e-9;

/**
 * Computes how many problems show a true difference of this mean in four of five evaluations, at this level: Connor's
 * formula (1987) for paired samples, with a problem more for each that the mean is of one, as the test is exact; never fewer than
 * that test takes, and null for no difference, because then no number would.
 */
export function problemsNeeded(
  { mean, meanSquare, differing }: Omit<DifferenceSums, "problems">,
  level = 0.05,
): number | null {
  if (mean === 0 || Number.isNaN(mean)) return null;
  const underChance = normalQuantile(1 - level / 2) * Math.sqrt(meanSquare);
  const asSeen = normalQuantile(POWER) * Math.sqrt(Math.max(0, meanSquare - mean * mean));
  const byConnor = Math.ceil(((underChance + asSeen) / mean) ** 2 + 1 / Math.abs(mean));
  // The formula takes the test as normal, which says too little of a handful of problems.
  return Math.max(byConnor, Math.ceil(leastDiffering(level) / differing - ROUNDING));
}

const HALVINGS = 20;

/**
 * The least mean difference that so many problems show in four of five evaluations, where as many of them differ as
 * were seen to, and no fewer than it takes; null when even the largest possible one would be missed.
 */
export function detectableDifference(
  { problems, mean: seen, meanSquare, differing }: DifferenceSums,
  level = 0.05,
): number | null {
  const usual = differing === 0 ? 1 : Math.sqrt(meanSquare / differing);
  // Two problems more, one won and one lost: none that differs of a few is not that none ever will.
  const share = (differing * problems + 2) / (problems + 2);
  const shows = (mean: number): boolean => {
    // As large a mean takes so many that differ, or larger differences.
    const size = Math.max(usual, mean);
    const shareAt = Math.max(share, mean / size);
    // Shares of several trials move as a whole; a single run can only turn.
    const moved = usual < 1 ? Math.max(0, mean * mean - seen * seen) : 0;
    const sums = { mean, meanSquare: shareAt * size * size + moved, differing: shareAt };
    return (problemsNeeded(sums, level) ?? Number.POSITIVE_INFINITY) <= problems;
  };
  if (!shows(1)) return null;
  let [low, high] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (shows(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Computes how many problems must differ, all of them one way, before an exact paired test says more than chance. */
export function leastDiffering(level: number): number {
  let problems = 1;
  // Of all ways to flip so many signs, two are as one-sided.
  while (2 / 2 ** problems >= level) problems++;
  return problems;
}

/** The same for a test of drops: of all ways to flip so many signs one is as low, and a mid-p has half of its chance. */
export function leastDropping(level: number): number {
  let problems = 1;
  while (1 / 2 ** (problems + 1) >= level) problems++;
  return problems;
}
