import { normalCdf } from "./normal.ts";
import type { PairedDifferences } from "./paired-differences.ts";
import type { RandomBits } from "./seeded-bits.ts";

/** Up to so many problems that differ, every way to flip their signs is tried. */
const MOST_EXACT = 20;
const FLIPS = 9_999;
/** With more sizes of differences than this, their flipped sum is as good as normal, and drawing it takes too long. */
const MOST_DRAWN = 2_000;
/** Sums of fractions that are equal on paper may differ by so much. */
const ROUNDING = 1e-9;

/**
 * How likely a mean difference at least as large would be if it were chance which model is which, problem by
 * problem: exact for few problems that differ, else by seeded flips, with p = (hits + 1) / (flips + 1); where thousands
 * of problems all differ by another amount, by the normal distribution of that sum.
 */
export function signFlipTest(differences: PairedDifferences, bits: RandomBits): number {
  const groups = groupBySize(differences);
  const total = [...differences].reduce((sum, [difference, count]) => sum + difference * count, 0);
  const isAsLarge = (sum: number) => Math.abs(sum) >= Math.abs(total) - ROUNDING;
  const count = groups.reduce((sum, [, times]) => sum + times, 0);
  if (count <= MOST_EXACT) return tryAll(groups, isAsLarge);
  return groups.length <= MOST_DRAWN ? tryMany(groups, isAsLarge, bits) : normalTails(groups, total);
}

type Groups = readonly (readonly [size: number, count: number])[];

/** A problem without a difference has no sign to flip. */
function groupBySize(differences: PairedDifferences): Groups {
  const groups = new Map<number, number>();
  for (const [difference, count] of differences) {
    const size = Math.abs(difference);
    if (size > 0) groups.set(size, (groups.get(size) ?? 0) + count);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

function tryAll(groups: Groups, isAsLarge: (sum: number) => boolean): number {
  const sizes = groups.flatMap(([size, count]) => Array<number>(count).fill(size));
  const countFrom = (at: number, sum: number): number => {
    const size = sizes[at];
    if (size === undefined) return isAsLarge(sum) ? 1 : 0;
    return countFrom(at + 1, sum + size) + countFrom(at + 1, sum - size);
  };
  return countFrom(0, 0) / 2 ** sizes.length;
}

function normalTails(groups: Groups, total: number): number {
  const variance = groups.reduce((sum, [size, count]) => sum + size * size * count, 0);
  return 2 * normalCdf(-Math.abs(total) / Math.sqrt(variance));
}

function tryMany(groups: Groups, isAsLarge: (sum: number) => boolean, bits: RandomBits): number {
  let hits = 0;
  for (let flip = 0; flip < FLIPS; flip++) {
    let sum = 0;
    for (const [size, count] of groups) sum += size * (2 * countOnes(count, bits) - count);
    if (isAsLarge(sum)) hits++;
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
