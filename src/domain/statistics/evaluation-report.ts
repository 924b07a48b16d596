import type { ModelKey } from "../model.ts";
import { type Comparison, compareAll } from "./compare-models.ts";
import { type ModelReport, modelReport } from "./model-report.ts";
import type { Outcomes } from "./outcomes.ts";
import { type RankingDoubt, rankingDoubts } from "./ranking-doubts.ts";

/** Under so many problems intervals and tests are rough, and readers are told. */
export const FEW_PROBLEMS = 20;

/** The first model compared with the second. */
export interface ModelComparison extends Comparison {
  readonly first: ModelKey;
  readonly second: ModelKey;
}

/** What an evaluation allows to say about its models, and about any two of them. */
export interface EvaluationReport {
  readonly models: Readonly<Record<ModelKey, ModelReport>>;
  readonly comparisons: readonly ModelComparison[];
  readonly rankingDoubts: readonly RankingDoubt[];
  readonly isRough: boolean;
}

export function evaluationReport({
  models,
  problems,
}: Pick<Outcomes, "models" | "problems">): EvaluationReport {
  const reports = [...models].map(([key, tallies]) => [key, modelReport(tallies, problems)] as const);
  return {
    models: Object.fromEntries(reports) as Record<ModelKey, ModelReport>,
    comparisons: compareEachPair(models),
    rankingDoubts: rankingDoubts(models),
    isRough: reports.some(([, report]) => report.problems > 0 && report.problems < FEW_PROBLEMS),
  };
}

/** Every two models, in the order in which they were given. */
function compareEachPair(models: Outcomes["models"]): ModelComparison[] {
  const keys = [...models.keys()];
  const pairs = keys.flatMap((first, at) => keys.slice(at + 1).map((second) => ({ first, second })));
  const sides = pairs.flatMap(({ first, second }) => {
    const [a, b] = [models.get(first), models.get(second)];
    return a === undefined || b === undefined ? [] : [[a, b] as const];
  });
  return compareAll(sides).flatMap((comparison, at) => {
    const pair = pairs[at];
    return pair === undefined ? [] : [{ ...pair, ...comparison }];
  });
}
