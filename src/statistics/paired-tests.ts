import { binomialCdf, normalCdf } from "./distributions.ts";
import { type Fraction, fractionOf, inOneUnit, toNumber } from "./fraction.ts";
import { COUNTED, type ModelOutcomes } from "./outcomes.ts";
import type { RandomBits } from "./random.ts";
import type { Cluster } from "./shares.ts";

/** Holm's correction: p-values such that, of several looked at, a false alarm of any is as rare as of one. */
export function holmAdjusted(pValues: readonly number[]): number[] {
  const order = pValues.map((_, at) => at).sort((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1));
  const adjusted = Array<number>(pValues.length).fill(1);
  let highest = 0;
  for (const [rank, at] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (pValues.length - rank) * (pValues[at] ?? 1)));
    adjusted[at] = highest;
  }
  return adjusted;
}

/**
 * Numbers of problems by the difference between two models' shares of right runs. Equal fractions are equal
 * numbers here, so counting in any order, or in parts, gives the same.
 */
export type PairedDifferences = ReadonlyMap<number, number>;

export function countDifferences(pairs: Iterable<readonly [Cluster, Cluster]>): PairedDifferences {
  const counts = new Map<number, number>();
  for (const [a, b] of pairs) {
    // One division of whole numbers: 1 − 2/3 and 1/3 − 0 would not be the same.
    const difference = (a.hits * b.size - b.hits * a.size) / (a.size * b.size);
    counts.set(difference, (counts.get(difference) ?? 0) + 1);
  }
  return new Map([...counts].sort(([x], [y]) => x - y));
}

export interface DifferenceSums {
  readonly problems: number;
  readonly mean: number;
  readonly meanSquare: number;
  /** The share of problems with any difference. */
  readonly differing: number;
}

/** Fractions that cancel on paper may leave such a part of them. */
const ROUNDING = 1e-12;

export function sumDifferences(differences: PairedDifferences): DifferenceSums {
  let [problems, sum, sizes, squares, differing] = [0, 0, 0, 0, 0];
  for (const [difference, count] of differences) {
    problems += count;
    sum += difference * count;
    sizes += Math.abs(difference) * count;
    squares += difference * difference * count;
    if (difference !== 0) differing += count;
  }
  const mean = Math.abs(sum) <= ROUNDING * sizes ? 0 : sum / problems;
  return { problems, mean, meanSquare: squares / problems, differing: differing / problems };
}

/** Up to so many problems that differ, every way to flip their signs is tried. */
const MOST_EXACT = 20;
const FLIPS = 9_999;
/** With more sizes of differences than this, their flipped sum is as good as normal, and drawing it takes too long. */
const MOST_DRAWN = 2_000;
/** Of the normal distribution no smaller tail is known. */
const LEAST_TAIL = 1e-15;

/** A number stands for the fraction that it is on paper. */
type Difference = number | Fraction;

type Differences = Iterable<readonly [difference: Difference, problems: number]>;

/**
 * Computes how likely a mean difference at least as large would be if it were chance which model is which, problem by
 * problem: exact for few problems that differ, else by seeded flips, with p = (hits + 1) / (flips + 1); where thousands
 * of problems all differ by another amount, by the normal distribution of that sum. It is never 0: at least what was
 * seen and its mirror image are as large.
 */
export const signFlipTest = (differences: Differences, bits: RandomBits): number =>
  flipTails(differences, bits).reaching;

/** Computes how likely so low a mean difference would be by chance, half of just this one: the mid-p of one side. */
export function dropTest(differences: PairedDifferences, bits: RandomBits): number {
  const { mean } = sumDifferences(differences);
  if (mean === 0 || Number.isNaN(mean)) return 0.5;
  const { reaching, beyond } = flipTails(differences, bits);
  const side = (reaching + beyond) / 4;
  return mean < 0 ? side : 1 - side;
}

/** The chances of a sum as far from 0 as the one seen, on either side, and of one that is farther. */
interface Tails {
  readonly reaching: number;
  readonly beyond: number;
}

function flipTails(differences: Differences, bits: RandomBits): Tails {
  // A problem without a difference has no sign to flip.
  const differing = [...differences].filter(([difference]) => asNumber(difference) !== 0);
  const count = differing.reduce((sum, [, problems]) => sum + problems, 0);
  if (count <= MOST_EXACT) return tryAll(inOneUnit(eachByItself(differing)));
  const numbers = inPartsOfLargest(
    differing.map(([difference, problems]) => [asNumber(difference), problems]),
  );
  const groups = groupBySize(numbers);
  const total = Math.abs(numbers.reduce((sum, [difference, problems]) => sum + difference * problems, 0));
  return groups.length <= MOST_DRAWN ? tryMany(groups, total, bits) : normalTails(groups, total);
}

const asNumber = (difference: Difference): number =>
  typeof difference === "number" ? difference : toNumber(difference);

const eachByItself = (differing: readonly (readonly [Difference, number])[]): Fraction[] =>
  differing.flatMap(([difference, problems]) =>
    Array<Fraction>(problems).fill(typeof difference === "number" ? fractionOf(difference) : difference),
  );

/** Every sum of one half of the problems with every sum of the other; those that reach as far below 0 are as many as above. */
function tryAll(differences: readonly bigint[]): Tails {
  const sum = differences.reduce((all, each) => all + each, 0n);
  const total = sum < 0n ? -sum : sum;
  const half = Math.ceil(differences.length / 2);
  const upwards = flippedSums(differences.slice(0, half));
  const downwards = flippedSums(differences.slice(half)).reverse();
  const chanceOf = (least: bigint): number => {
    let [ways, reaching] = [0, 0];
    for (const each of upwards) {
      while (reaching < downwards.length && each + (downwards[reaching] ?? 0n) >= least) reaching++;
      ways += reaching;
    }
    return (2 * ways) / 2 ** differences.length;
  };
  // All are integers, so what is more is more by one at least.
  return { reaching: total === 0n ? 1 : chanceOf(total), beyond: chanceOf(total + 1n) };
}

const flippedSums = (differences: readonly bigint[]): bigint[] =>
  differences
    .reduce((sums, each) => sums.flatMap((sum) => [sum + each, sum - each]), [0n])
    .sort((a, b) => Number(a > b) - Number(a < b));

type Groups = readonly (readonly [size: number, count: number])[];

/** Their sums and squares are then numbers too, however large or small they are. */
function inPartsOfLargest(differing: Groups): Groups {
  const largest = differing.reduce((most, [difference]) => Math.max(most, Math.abs(difference)), 0);
  return differing.map(([difference, problems]) => [difference / largest, problems]);
}

function groupBySize(differing: Groups): Groups {
  const groups = new Map<number, number>();
  for (const [difference, problems] of differing) {
    const size = Math.abs(difference);
    groups.set(size, (groups.get(size) ?? 0) + problems);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

function normalTails(groups: Groups, total: number): Tails {
  const variance = groups.reduce((sum, [size, count]) => sum + size * size * count, 0);
  const tails = Math.max(LEAST_TAIL, 2 * normalCdf(-total / Math.sqrt(variance)));
  return { reaching: tails, beyond: tails };
}

function tryMany(groups: Groups, total: number, bits: RandomBits): Tails {
  const rounding = ROUNDING * groups.reduce((sum, [size, count]) => sum + size * count, 0);
  let [reaching, beyond] = [0, 0];
  for (let flip = 0; flip < FLIPS; flip++) {
    let sum = 0;
    for (const [size, count] of groups) sum += size * (2 * countOnes(count, bits) - count);
    if (Math.abs(sum) >= total - rounding) reaching++;
    if (Math.abs(sum) > total + rounding) beyond++;
  }
  return { reaching: (reaching + 1) / (FLIPS + 1), beyond: beyond / (FLIPS + 1) };
}

/** How many of so many coins fall on heads, 32 coins at a time. */
function countOnes(coins: number, bits: RandomBits): number {
  let ones = 0;
  for (let left = coins; left > 0; left -= 32) {
    const word = bits();
    ones += popCount(left >= 32 ? word : word >>> (32 - left));
  }
  return ones;
}

function popCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** McNemar's exact two-sided p-value: `b` problems went one way only, `c` the other way only. Never 0. */
export const mcnemarExact = (b: number, c: number): number =>
  Math.max(Number.MIN_VALUE, Math.min(1, 2 * binomialCdf(Math.min(b, c), b + c, 0.5)));

/** The same for one run per problem: how likely so few of those that differ would be won. */
export const dropMcnemar = (won: number, lost: number): number =>
  (binomialCdf(won, won + lost, 0.5) + binomialCdf(won - 1, won + lost, 0.5)) / 2;

interface PairedOutcomes {
  readonly pairs: readonly (readonly [Cluster, Cluster])[];
  /** No problem has more than one run that counts. */
  readonly isSingleRun: boolean;
}

/** The problems for which both models have a run that counts. */
export function pairOutcomes(first: ModelOutcomes, second: ModelOutcomes): PairedOutcomes {
  const pairs: (readonly [Cluster, Cluster])[] = [];
  for (const [id, counts] of first) {
    const others = second.get(id);
    if (others === undefined) continue;
    const pair = [COUNTED.accuracy(counts), COUNTED.accuracy(others)] as const;
    if (pair.every(({ size }) => size > 0)) pairs.push(pair);
  }
  return { pairs, isSingleRun: pairs.every((pair) => pair.every(({ size }) => size === 1)) };
}

/** A p-value below it is called a difference. */
export const LEVEL = 0.05;
