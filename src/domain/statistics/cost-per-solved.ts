import type { ModelStats } from "../model-stats.ts";

export interface CostPerSolved {
  readonly usd: number;
  /** Some runs have no known price, so it costs at least this. */
  readonly isLowerBound: boolean;
}

/** Dollars for one right answer, wrong ones and failures included; null when nothing is right or no price known. */
export function costPerSolved(
  stats: Pick<ModelStats, "correct" | "costUsd" | "runsWithUnknownCost">,
): CostPerSolved | null {
  if (stats.correct === 0 || stats.costUsd === null) return null;
  return { usd: stats.costUsd / stats.correct, isLowerBound: stats.runsWithUnknownCost > 0 };
}
