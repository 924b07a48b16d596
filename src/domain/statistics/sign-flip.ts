import { type Fraction, fractionOf, inOneUnit, toNumber } from "./fraction.ts";
import { normalCdf } from "./normal.ts";
import type { RandomBits } from "./seeded-bits.ts";

/** Up to so many problems that differ, every way to flip their signs is tried. */
const MOST_EXACT = 20;
const FLIPS = 9_999;
/** With more sizes of differences than this, their flipped sum is as good as normal, and drawing it takes too long. */
const MOST_DRAWN = 2_000;
/** By so much of all sizes together may drawn sums differ that are equal on paper; adding 2,000 sizes rounds by a quarter of it. */
const ROUNDING = 1e-12;
/** Of the normal distribution no smaller tail is known. */
const LEAST_TAIL = 1e-15;

/** A number stands for the fraction that it is on paper. */
type Difference = number | Fraction;

/**
 * How likely a mean difference at least as large would be if it were chance which model is which, problem by
 * problem: exact for few problems that differ, else by seeded flips, with p = (hits + 1) / (flips + 1); where thousands
 * of problems all differ by another amount, by the normal distribution of that sum. It is never 0: at least what was
 * seen and its mirror image are as large.
 */
export function signFlipTest(
  differences: Iterable<readonly [difference: Difference, problems: number]>,
  bits: RandomBits,
): number {
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
function tryAll(differences: readonly bigint[]): number {
  const sum = differences.reduce((all, each) => all + each, 0n);
  const total = sum < 0n ? -sum : sum;
  if (total === 0n) return 1;
  const half = Math.ceil(differences.length / 2);
  const upwards = flippedSums(differences.slice(0, half));
  const downwards = flippedSums(differences.slice(half)).reverse();
  let [ways, reaching] = [0, 0];
  for (const each of upwards) {
    while (each + (downwards[reaching] ?? -each) >= total) reaching++;
    ways += reaching;
  }
  return (2 * ways) / 2 ** differences.length;
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

function normalTails(groups: Groups, total: number): number {
  const variance = groups.reduce((sum, [size, count]) => sum + size * size * count, 0);
  return Math.max(LEAST_TAIL, 2 * normalCdf(-total / Math.sqrt(variance)));
}

function tryMany(groups: Groups, total: number, bits: RandomBits): number {
  const far = total - ROUNDING * groups.reduce((sum, [size, count]) => sum + size * count, 0);
  let hits = 0;
  for (let flip = 0; flip < FLIPS; flip++) {
    let sum = 0;
    for (const [size, count] of groups) sum += size * (2 * countOnes(count, bits) - count);
    if (Math.abs(sum) >= far) hits++;
  }
  return (hits + 1) / (FLIPS + 1);
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
