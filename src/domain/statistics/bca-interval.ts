import type { Interval } from "./interval.ts";
import { normalCdf, normalQuantile } from "./normal.ts";
import { bitsBelow, type RandomBits } from "./seeded-bits.ts";

export interface Bootstrap<Item> {
  readonly items: readonly Item[];
  readonly statistic: (items: readonly Item[]) => number;
  readonly bits: RandomBits;
  readonly resamples?: number;
  /** How many of such intervals hold the true value. */
  readonly level?: number;
}

const RESAMPLES = 2_000;

/** Efron's bias-corrected and accelerated interval of a statistic, of 95% unless said otherwise, by drawing the items again and again. */
export function bcaInterval<Item>({
  items,
  statistic,
  bits,
  resamples = RESAMPLES,
  level = 0.95,
}: Bootstrap<Item>): Interval {
  const value = statistic(items);
  const drawn = Float64Array.from({ length: resamples }, () => statistic(drawAgain(items, bits))).sort();
  const bias = normalQuantile(shareBelow(drawn, value));
  const skew = acceleration(items, statistic);
  const at = (p: number): number => {
    const shifted = bias + normalQuantile(p);
    const adjusted = normalCdf(bias + shifted / (1 - skew * shifted));
    return drawn[Math.min(resamples - 1, Math.max(0, Math.floor(adjusted * (resamples + 1)) - 1))] ?? value;
  };
  return Number.isFinite(bias)
    ? { low: at((1 - level) / 2), high: at((1 + level) / 2) }
    : { low: value, high: value };
}

/** How fast the error changes with the value, from leaving out one item at a time. */
export function acceleration<Item>(
  items: readonly Item[],
  statistic: (items: readonly Item[]) => number,
): number {
  const without = items.map((_, left) => statistic(items.toSpliced(left, 1)));
  const mean = without.reduce((sum, each) => sum + each, 0) / without.length;
  const power = (by: number): number => without.reduce((sum, each) => sum + (mean - each) ** by, 0);
  const squares = power(2);
  return squares === 0 ? 0 : power(3) / (6 * squares ** 1.5);
}

function drawAgain<Item>(items: readonly Item[], bits: RandomBits): Item[] {
  return items.map((item) => items[bitsBelow(bits, items.length)] ?? item);
}

/** Ties count half, as scores of 0 and 1 tie often. */
function shareBelow(sorted: Float64Array, value: number): number {
  const below = sorted.filter((each) => each < value).length;
  const equal = sorted.filter((each) => each === value).length;
  return (below + equal / 2) / sorted.length;
}
