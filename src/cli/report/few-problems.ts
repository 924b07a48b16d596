import { plural } from "../../domain/show/format-count.ts";
import type { Comparison } from "../../domain/statistics/compare-models.ts";
import { leastDiffering } from "../../domain/statistics/least-differing.ts";
import { LEVEL } from "../../domain/statistics/level.ts";

/** Too few problems for any drop to be told; null when each comparison has enough. */
export interface FewProblems {
  readonly says: string;
  /** How many it takes, with as many comparisons. */
  readonly least: number;
}

export function fewProblems(comparisons: readonly Comparison[]): FewProblems | null {
  const least = leastDiffering(LEVEL / comparisons.length);
  const compared = comparisons.map(({ pairedProblems }) => pairedProblems).filter((count) => count > 0);
  const fewest = Math.min(...compared);
  if (fewest >= least) return null;
  return { says: `With ${plural(fewest, "problem")} no drop can be more than chance`, least };
}
