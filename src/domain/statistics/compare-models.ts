import { holmAdjusted } from "./holm.ts";
import type { Interval } from "./interval.ts";
import { LEVEL } from "./level.ts";
import { mcnemarExact } from "./mcnemar.ts";
import type { ModelOutcomes } from "./model-outcomes.ts";
import { pairOutcomes } from "./pair-outcomes.ts";
import { countDifferences, type DifferenceSums, sumDifferences } from "./paired-differences.ts";
import { problemsNeeded } from "./problems-needed.ts";
import { seededBits } from "./seeded-bits.ts";
import { signFlipTest } from "./sign-flip.ts";
import { testedInterval } from "./tested-interval.ts";

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

export type ModelPair = readonly [first: ModelOutcomes, second: ModelOutcomes];

const SEED = 20;

export function compareModels(first: ModelOutcomes, second: ModelOutcomes): Comparison {
  const tested = testPair([first, second]);
  return judge(tested, tested.pValue, LEVEL);
}

/** Several comparisons at once: the more there are, the more it takes to call one of them a difference. */
export function compareAll(pairs: readonly ModelPair[]): Comparison[] {
  const tested = pairs.map(testPair);
  const adjusted = holmAdjusted(tested.map(({ pValue }) => pValue));
  return tested.map((test, at) => judge(test, adjusted[at] ?? 1, LEVEL / pairs.length));
}

interface Tested {
  readonly sums: DifferenceSums;
  readonly interval: Interval | null;
  readonly pValue: number;
}

function testPair([first, second]: ModelPair): Tested {
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
