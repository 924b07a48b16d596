import type { Interval } from "../domain/stats/estimate.ts";
import { incompleteBeta, tQuantile, Z95 } from "./distributions.ts";
import { fractionOf, subtract } from "./fraction.ts";
import { LEVEL, type PairedDifferences, signFlipTest, sumDifferences } from "./paired-tests.ts";
import { seededBits } from "./random.ts";

interface TestedDifferences {
  readonly differences: PairedDifferences;
  readonly isSingleRun: boolean;
  /** Of the test that belongs to them, by itself. */
  readonly pValue: number;
}

/** The interval of a difference beside its test: it leaves out 0 exactly where the test says that there is a difference. */
export function testedInterval({ differences, isSingleRun, pValue }: TestedDifferences): Interval {
  const interval = pairedInterval(differences, isSingleRun);
  const hasZero = interval.low <= 0 && interval.high >= 0;
  if (hasZero === pValue >= LEVEL) return interval;
  if (!isSingleRun) return flippedInterval(differences, interval);
  const [won, lost] = [differences.get(1) ?? 0, differences.get(-1) ?? 0];
  return exactPairedInterval({ won, lost, problems: sumDifferences(differences).problems });
}

export interface PairedCounts {
  readonly won: number;
  readonly lost: number;
  readonly problems: number;
}

const PARTS = 2_000;
const HALVINGS = 40;

/**
 * Fay and Lumbard's interval (2021) of a paired difference of shares: it leaves out 0 exactly when McNemar's exact
 * test does. What is not known of how many problems differ, and of how many of those are won, is melded.
 */
export function exactPairedInterval({ won, lost, problems }: PairedCounts): Interval {
  return {
    low: -highestDifference({ won: lost, lost: won, problems }),
    high: highestDifference({ won, lost, problems }),
  };
}

/** The largest difference that is not too large to have won so few, or lost so many. */
function highestDifference(counts: PairedCounts): number {
  const chanceOfMore = chancesOfMore(counts);
  let [low, high] = [-1, 1];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (chanceOfMore(middle) > LEVEL / 2) low = middle;
    else high = middle;
  }
  return high;
}

function chancesOfMore({ won, lost, problems }: PairedCounts): (difference: number) => number {
  const differing = won + lost;
  const fewest: Beta = [differing, problems - differing + 1];
  const most: Beta = [differing + 1, problems - differing];
  // All that differ may well be won: then the difference is how many differ.
  if (lost === 0) return (difference) => 1 - betaCdf(difference, difference < 0 ? fewest : most);
  const parts = { fewest: partsOf(fewest), most: partsOf(most) };
  return (difference) =>
    parts[difference < 0 ? "fewest" : "most"].reduce(
      (sum, { share, weight }) => sum + weight * (1 - betaCdf((1 + difference / share) / 2, [won + 1, lost])),
      0,
    );
}

type Beta = readonly [a: number, b: number];

/** A distribution over 0 to 1, cut into many small parts. */
function partsOf(beta: Beta): { share: number; weight: number }[] {
  if (beta[1] === 0) return [{ share: 1, weight: 1 }];
  let before = 0;
  return Array.from({ length: PARTS }, (_, at) => {
    const upTo = betaCdf((at + 1) / PARTS, beta);
    const weight = upTo - before;
    before = upTo;
    return { share: (at + 0.5) / PARTS, weight };
  }).filter(({ weight }) => weight > 0);
}

/** With a parameter of 0 all of it lies at one end. */
function betaCdf(x: number, [a, b]: Beta): number {
  if (a === 0) return x < 0 ? 0 : 1;
  if (b === 0) return x < 1 ? 0 : 1;
  return incompleteBeta(x, a, b);
}

const SEED = 20;
const FLIPPED_INTERVAL_HALVINGS = 20;

/** An interval whose end towards 0 is the last mean difference that flipping signs does not rule out. */
function flippedInterval(differences: PairedDifferences, { low, high }: Interval): Interval {
  return sumDifferences(differences).mean > 0
    ? { low: leastNotRuledOut(differences), high }
    : { low, high: -leastNotRuledOut(mirrored(differences)) };
}

/** Of a mean above 0; on the side of 0 that the test of 0 itself says. */
function leastNotRuledOut(differences: PairedDifferences): number {
  const isTold = isRuledOut(differences, 0);
  if (!isTold && !isRuledOut(differences, -1)) return -1;
  let [low, high] = isTold ? [0, sumDifferences(differences).mean] : [-1, 0];
  for (let halving = 0; halving < FLIPPED_INTERVAL_HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (isRuledOut(differences, middle)) low = middle;
    else high = middle;
  }
  return high;
}

function isRuledOut(differences: PairedDifferences, mean: number): boolean {
  const shift = fractionOf(mean);
  const left = [...differences].map(([each, count]) => [subtract(fractionOf(each), shift), count] as const);
  return signFlipTest(left, seededBits(SEED)) < LEVEL;
}

const mirrored = (differences: PairedDifferences): PairedDifferences =>
  new Map([...differences].map(([difference, count]): [number, number] => [-difference, count]));

/**
 * The 95% interval of a mean paired difference. One run per problem: Bonett and Price's, which adds a problem won
 * and a problem lost. Several: Student's t over the problems, unless these do not differ at all.
 */
export function pairedInterval(differences: PairedDifferences, isSingleRun: boolean): Interval {
  const { problems, mean, meanSquare } = sumDifferences(differences);
  const variance = meanSquare - mean * mean;
  if (isSingleRun || differences.size < 2) return adjustedInterval(problems, mean, meanSquare);
  const error = Math.sqrt(variance / (problems - 1));
  return within(mean, tQuantile(0.975, problems - 1) * error);
}

function adjustedInterval(problems: number, mean: number, meanSquare: number): Interval {
  const adjusted = problems + 2;
  const centre = (mean * problems) / adjusted;
  const square = (meanSquare * problems + 2) / adjusted;
  return within(centre, Z95 * Math.sqrt((square - centre * centre) / adjusted));
}

const within = (centre: number, half: number): Interval => ({
  low: Math.max(-1, centre - half),
  high: Math.min(1, centre + half),
});
