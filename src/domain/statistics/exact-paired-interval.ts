import { incompleteBeta } from "./incomplete-beta.ts";
import type { Interval } from "./interval.ts";
import { LEVEL } from "./level.ts";

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
