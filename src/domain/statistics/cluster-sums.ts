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

/** A problem none of whose runs count is no cluster. */
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
