import type { Estimate, Interval } from "../domain/stats/estimate.ts";
import { normalCdf, normalQuantile, tQuantile } from "./distributions.ts";
import type { ProblemScore } from "./outcomes.ts";
import { bitsBelow, type RandomBits, seededBits } from "./random.ts";
import { clusteredShare, sumClusters, wilsonInterval } from "./shares.ts";

/** Fewer problems say too little of how scores are spread to draw them again. */
const FEWEST_DRAWN = 10;
/** Beyond so many problems the mean is as good as normal, and drawing them again would only cost time. */
const MOST_DRAWN = 2_000;
const SEED = 95;

/**
 * The mean score of all runs that have one; problems are drawn, because runs of one problem are alike. Scores of 0 and 1
 * are shares, and few or equal scores between them are taken as such; null where nothing says how far off the mean is.
 */
export function estimateMeanScore(scores: Iterable<ProblemScore>): Estimate | null {
  // Sorted, so that the order in which problems came does not decide which ones are drawn.
  const problems = [...scores].sort((a, b) => a.micros - b.micros || a.runs - b.runs);
  const [first] = problems;
  if (first === undefined) return null;
  const value = mean(problems);
  const isEven = problems.every(({ micros, runs }) => micros * first.runs === first.micros * runs);
  const isFew = problems.length < FEWEST_DRAWN;
  if (problems.every(isShare)) {
    if (problems.every(({ micros }) => micros % 1e6 === 0)) return asShare(problems, value);
    if (isEven) return { value, ...wilsonInterval(value, problems.length) };
    if (isFew) return asShare(problems, value);
  }
  if (isEven) return null;
  if (isFew || problems.length > MOST_DRAWN) return byStudent(problems, value);
  return { value, ...bcaInterval({ items: problems, statistic: mean, bits: seededBits(SEED) }) };
}

const isShare = ({ micros, runs }: ProblemScore): boolean => micros >= 0 && micros <= runs * 1e6;

function asShare(problems: readonly ProblemScore[], value: number): Estimate | null {
  const share = clusteredShare(
    sumClusters(problems.map(({ micros, runs }) => ({ hits: micros / 1e6, size: runs }))),
  );
  return share && { ...share, value };
}

function mean(problems: readonly ProblemScore[]): number {
  let [micros, runs] = [0, 0];
  for (const problem of problems) {
    micros += problem.micros;
    runs += problem.runs;
  }
  return micros / runs / 1e6;
}

function byStudent(problems: readonly ProblemScore[], value: number): Estimate {
  const count = problems.length;
  const runs = problems.reduce((sum, problem) => sum + problem.runs, 0);
  const squares = problems.reduce((sum, { micros, runs }) => sum + (micros / 1e6 - value * runs) ** 2, 0);
  const half = tQuantile(0.975, count - 1) * (Math.sqrt((count / (count - 1)) * squares) / runs);
  return { value, low: value - half, high: value + half };
}

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

/** Computes how fast the error changes with the value, from leaving out one item at a time. */
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
