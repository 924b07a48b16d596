import type { ModelKey } from "../model.ts";
import type { ModelOutcomes } from "./model-outcomes.ts";

/** Two models whose order could be another one, had the infrastructure not failed. */
export interface RankingDoubt {
  readonly ahead: ModelKey;
  readonly behind: ModelKey;
  /** Runs of both that were lost to the infrastructure. */
  readonly lostRuns: number;
}

/** Every pair that would change places if the lost runs of one were all wrong and those of the other all right. */
export function rankingDoubts(models: ReadonlyMap<ModelKey, ModelOutcomes>): RankingDoubt[] {
  const bounds = [...models].map(([key, outcomes]) => ({ key, ...boundsOf(outcomes) }));
  const ranked = bounds.filter(({ seen }) => !Number.isNaN(seen)).sort((a, b) => b.seen - a.seen);
  return ranked.flatMap((ahead, at) =>
    ranked
      .slice(at + 1)
      .filter((behind) => behind.seen < ahead.seen && behind.best >= ahead.worst)
      .map((behind) => ({ ahead: ahead.key, behind: behind.key, lostRuns: ahead.lost + behind.lost })),
  );
}

function boundsOf(outcomes: ModelOutcomes) {
  let [right, counted, lost] = [0, 0, 0];
  for (const [, { correct, wrong, model, infrastructure }] of outcomes) {
    right += correct;
    counted += correct + wrong + model;
    lost += infrastructure;
  }
  return {
    lost,
    seen: right / counted,
    worst: right / (counted + lost),
    best: (right + lost) / (counted + lost),
  };
}
