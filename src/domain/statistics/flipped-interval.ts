import { fractionOf, subtract } from "./fraction.ts";
import type { Interval } from "./interval.ts";
import { LEVEL } from "./level.ts";
import { type PairedDifferences, sumDifferences } from "./paired-differences.ts";
import { seededBits } from "./seeded-bits.ts";
import { signFlipTest } from "./sign-flip.ts";

const SEED = 20;
const HALVINGS = 20;

/** An interval whose end towards 0 is the last mean difference that flipping signs does not rule out. */
export function flippedInterval(differences: PairedDifferences, { low, high }: Interval): Interval {
  return sumDifferences(differences).mean > 0
    ? { low: leastNotRuledOut(differences), high }
    : { low, high: -leastNotRuledOut(mirrored(differences)) };
}

/** Of a mean above 0; on the side of 0 that the test of 0 itself says. */
function leastNotRuledOut(differences: PairedDifferences): number {
  const isTold = isRuledOut(differences, 0);
  if (!isTold && !isRuledOut(differences, -1)) return -1;
  let [low, high] = isTold ? [0, sumDifferences(differences).mean] : [-1, 0];
  for (let halving = 0; halving < HALVINGS; halving++) {
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
