import { formatP, formatPoints, plural } from "../domain/format.ts";
import type { ModelKey } from "../domain/model.ts";
import type { Interval } from "../domain/stats/estimate.ts";
import { normalQuantile } from "./distributions.ts";
import type { ModelOutcomes, Outcomes } from "./outcomes.ts";
import { testedInterval } from "./paired-intervals.ts";
import {
  countDifferences,
  type DifferenceSums,
  holmAdjusted,
  LEVEL,
  mcnemarExact,
  pairOutcomes,
  signFlipTest,
  sumDifferences,
} from "./paired-tests.ts";
import { seededBits } from "./random.ts";

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

/** One side of a comparison. */
export interface ComparedSide {
  readonly outcomes: Outcomes;
  /** The only model that is meant; null for all. */
  readonly model: ModelKey | null;
}

/** A model of the candidate, compared with one of the baseline. */
export interface ModelAgainst extends Comparison {
  readonly model: ModelKey;
  /** The same one, unless two different models were named. */
  readonly baselineModel: ModelKey;
}

/** Every model that both have, or the two that are meant; empty when there is no such pair. */
export function compareEvaluations(candidate: ComparedSide, baseline: ComparedSide): ModelAgainst[] {
  const pairs = pairModels(candidate, baseline).flatMap((pair) => {
    const first = candidate.outcomes.models.get(pair.model);
    const second = baseline.outcomes.models.get(pair.baselineModel);
    return first === undefined || second === undefined ? [] : [{ pair, sides: [first, second] as const }];
  });
  const compared = compareAll(pairs.map(({ sides }) => sides));
  return pairs.flatMap(({ pair }, at) => {
    const comparison = compared[at];
    return comparison === undefined ? [] : [{ ...pair, ...comparison }];
  });
}

type PairOfModels = Pick<ModelAgainst, "model" | "baselineModel">;

function pairModels(candidate: ComparedSide, baseline: ComparedSide): PairOfModels[] {
  const [mine, theirs] = [keysOf(candidate.outcomes), keysOf(baseline.outcomes)];
  const [model, baselineModel] = [candidate.model ?? baseline.model, baseline.model ?? candidate.model];
  if (model !== null && baselineModel !== null) return [{ model, baselineModel }];
  const common = mine.filter((key) => theirs.includes(key));
  if (common.length > 0) return common.map((key) => ({ model: key, baselineModel: key }));
  const [onlyMine, onlyTheirs] = [mine[0], theirs[0]];
  const isOneEach = mine.length === 1 && theirs.length === 1;
  if (!isOneEach || onlyMine === undefined || onlyTheirs === undefined) return [];
  return [{ model: onlyMine, baselineModel: onlyTheirs }];
}

const keysOf = ({ models }: Outcomes): ModelKey[] => [...models.keys()];

/** The first model seen from the second, on the problems that both have. */
export interface Comparison {
  readonly pairedProblems: number;
  /** Mean share of right runs per problem, of the first less the second; null without a common problem. */
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly pValue: number;
  /** By Holm, over all comparisons that were made together. */
  readonly adjustedP: number;
  readonly verdict: "better" | "worse" | "not distinguishable";
  /** How many problems would tell a difference like this one; null when it is told, or none was seen. */
  readonly problemsNeeded: number | null;
}

type TwoModels = readonly [first: ModelOutcomes, second: ModelOutcomes];

const SEED = 20;

export function compareModels(first: ModelOutcomes, second: ModelOutcomes): Comparison {
  const tested = testPair([first, second]);
  return judge(tested, tested.pValue, LEVEL);
}

/** Several comparisons at once: the more there are, the more it takes to call one of them a difference. */
export function compareAll(pairs: readonly TwoModels[]): Comparison[] {
  const tested = pairs.map(testPair);
  const adjusted = holmAdjusted(tested.map(({ pValue }) => pValue));
  return tested.map((test, at) => judge(test, adjusted[at] ?? 1, LEVEL / pairs.length));
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
 * How many problems would tell a difference as large as the one seen, at this level and with 80% power, by Connor's
 * formula (1987) for paired samples, and never fewer than the exact test takes; null when none was seen, because then
 * no number would.
 */
export function problemsNeeded(
  { mean, meanSquare, differing }: Omit<DifferenceSums, "problems">,
  level = 0.05,
): number | null {
  if (mean === 0 || Number.isNaN(mean)) return null;
  const underChance = normalQuantile(1 - level / 2) * Math.sqrt(meanSquare);
  const asSeen = normalQuantile(POWER) * Math.sqrt(Math.max(0, meanSquare - mean * mean));
  const byConnor = Math.ceil(((underChance + asSeen) / mean) ** 2);
  // The formula takes the test as normal, which says too little of a handful of problems.
  return Math.max(byConnor, Math.ceil(leastDiffering(level) / differing - ROUNDING));
}

/** How many problems must differ, all of them one way, before an exact paired test says more than chance. */
export function leastDiffering(level: number): number {
  let problems = 1;
  // Of all ways to flip so many signs, two are as one-sided.
  while (2 / 2 ** problems >= level) problems++;
  return problems;
}
