import type { Cluster } from "./cluster-sums.ts";
import type { ModelOutcomes } from "./model-outcomes.ts";
import { COUNTED } from "./problem-counts.ts";

export interface PairedOutcomes {
  readonly pairs: readonly (readonly [Cluster, Cluster])[];
  /** No problem has more than one run that counts. */
  readonly isSingleRun: boolean;
}

/** The problems for which both models have a run that counts. */
export function pairOutcomes(first: ModelOutcomes, second: ModelOutcomes): PairedOutcomes {
  const pairs: (readonly [Cluster, Cluster])[] = [];
  for (const [id, counts] of first) {
    const others = second.get(id);
    if (others === undefined) continue;
    const pair = [COUNTED.accuracy(counts), COUNTED.accuracy(others)] as const;
    if (pair.every(({ size }) => size > 0)) pairs.push(pair);
  }
  return { pairs, isSingleRun: pairs.every((pair) => pair.every(({ size }) => size === 1)) };
}
