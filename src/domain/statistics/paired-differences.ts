import type { Cluster } from "./cluster-sums.ts";

/**
 * How many problems have which difference between two models' shares of right runs. Equal fractions are equal
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
