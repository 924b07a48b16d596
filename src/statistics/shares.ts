import type { Estimate, Interval } from "../domain/stats/estimate.ts";
import { tQuantile, Z95 } from "./distributions.ts";

/**
 * The share of hits with its interval. One run per problem: Wilson's. Several: they are not independent evidence,
 * so Wilson's for as many runs as the cluster-robust error is worth, with t of one less than the problems.
 */
export function clusteredShare(sums: ClusterSums): Estimate | null {
  if (sums.size === 0) return null;
  const value = sums.hits / sums.size;
  return { value, ...intervalOf(sums, value) };
}

function intervalOf(sums: ClusterSums, share: number): Interval {
  const { clusters, size } = sums;
  const isSingle = size === clusters && sums.hitsSquared === sums.hits;
  // Problems that all went the same way say how many they are, and nothing about how they differ.
  const isUniform = share === 0 || share === 1 || clusters === 1;
  if (isSingle || isUniform) return wilsonInterval(share, clusters);
  const { low, high } = wilsonInterval(share, effectiveRuns(sums, share), tQuantile(0.975, clusters - 1));
  // One run that went the other way is not more evidence than none.
  return {
    low: Math.min(low, wilsonInterval(1, clusters).low),
    high: Math.max(high, wilsonInterval(0, clusters).high),
  };
}

/**
 * How many independent runs would have the same error. Trials are taken to be all alike by the weight of a quarter of
 * a problem: where nearly all problems went the same way, the few others tell too little about that.
 */
function effectiveRuns(sums: ClusterSums, share: number): number {
  const { clusters, size } = sums;
  const spread = share * (1 - share);
  const squares = sums.hitsSquared - 2 * share * sums.hitsTimesSize + share * share * sums.sizeSquared;
  const variance = (clusters / (clusters - 1)) * (squares / (size * size));
  const seenEffect = Math.max(leastEffect(clusters), (variance * size) / spread);
  const fullEffect = sums.sizeSquared / size;
  const weight = 4 * spread * clusters;
  const effect = (weight * seenEffect + PRIOR_PROBLEMS * fullEffect) / (weight + PRIOR_PROBLEMS);
  return size / effect;
}

const PRIOR_PROBLEMS = 0.25;

/** Independent trials are at 1, give or take; that far below it, two standard errors, is chance and no evidence. */
const leastEffect = (clusters: number): number => Math.max(0.5, 1 - 2 * Math.sqrt(2 / (clusters - 1)));

/** Whole sums over problems, so that any order of adding gives the same interval to the last digit. */
export interface ClusterSums {
  readonly clusters: number;
  readonly hits: number;
  readonly size: number;
  readonly hitsSquared: number;
  readonly hitsTimesSize: number;
  readonly sizeSquared: number;
}

/** One problem: how many of its runs count, and how many of those were right. */
export interface Cluster {
  readonly hits: number;
  readonly size: number;
}

/** A problem none of whose runs count is left out. */
export function sumClusters(clusters: Iterable<Cluster>): ClusterSums {
  const sums = { clusters: 0, hits: 0, size: 0, hitsSquared: 0, hitsTimesSize: 0, sizeSquared: 0 };
  for (const { hits, size } of clusters) {
    if (size === 0) continue;
    sums.clusters++;
    sums.hits += hits;
    sums.size += size;
    sums.hitsSquared += hits * hits;
    sums.hitsTimesSize += hits * size;
    sums.sizeSquared += size * size;
  }
  return sums;
}

/** Wilson's score interval of a share; `n` may be an effective number and `z` a quantile of another kind. */
export function wilsonInterval(share: number, n: number, z: number = Z95): Interval {
  const weight = (z * z) / n;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (z * Math.sqrt((share * (1 - share)) / n + weight / (4 * n))) / (1 + weight);
  // Rounding must not leave all or none outside of its own interval.
  return {
    low: share === 0 ? 0 : Math.max(0, centre - half),
    high: share === 1 ? 1 : Math.min(1, centre + half),
  };
}
