import type { ModelStats } from "../../domain/model-stats.ts";

type Costs = Readonly<Record<string, Pick<ModelStats, "costUsd" | "runsWithUnknownCost">>>;

/** What all models cost together; null when nothing is known. */
export function totalCost(stats: Costs): { costUsd: number | null; runsWithUnknownCost: number } {
  const models = Object.values(stats);
  const known = models.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    costUsd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    runsWithUnknownCost: models.reduce((sum, { runsWithUnknownCost }) => sum + runsWithUnknownCost, 0),
  };
}
