import type { ClusterSums } from "./cluster-sums.ts";
import type { Estimate, Interval } from "./interval.ts";
import { tQuantile } from "./student-t.ts";
import { wilsonInterval } from "./wilson.ts";

/**
 * The share of hits with its interval. One run per problem: Wilson's. Several: they are no independent evidence,
 * so Wilson's for as many runs as the cluster-robust error is worth, with t of one less than the problems.
 */
export function clusteredShare(sums: ClusterSums): Estimate | null {
  if (sums.size === 0) return null;
  const value = sums.hits / sums.size;
  return { value, ...intervalOf(sums, value) };
}

function intervalOf(sums: ClusterSums, share: number): Interval {
  const { clusters, size } = sums;
  const isSingle = size === clusters;
  // Problems that all went the same way say how many they are, and nothing about how they differ.
  const isUniform = share === 0 || share === 1 || clusters === 1;
  if (isSingle || isUniform) return wilsonInterval(share, clusters);
  return wilsonInterval(share, effectiveRuns(sums, share), tQuantile(0.975, clusters - 1));
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
