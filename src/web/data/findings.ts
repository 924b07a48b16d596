import type { ModelKey } from "../../domain/model.ts";
import { type Comparison, compareAll } from "../../domain/statistics/compare-models.ts";
import type { Estimate } from "../../domain/statistics/interval.ts";
import { type ModelReport, modelReport } from "../../domain/statistics/model-report.ts";
import { ModelTallies } from "../../domain/statistics/model-tallies.ts";
import { endingOf } from "../../domain/statistics/problem-counts.ts";
import { ProblemIndex } from "../../domain/statistics/problem-index.ts";
import { type RankingDoubt, rankingDoubts } from "../../domain/statistics/ranking-doubts.ts";
import { cellOf, type Grid } from "./run-filter.ts";

export interface Findings {
  readonly models: Readonly<Record<string, ModelReport & { readonly accuracy: Estimate | null }>>;
  /** The model with the highest accuracy against each of the others. */
  readonly best: ModelKey | null;
  readonly comparisons: readonly (Comparison & { readonly other: ModelKey })[];
  readonly doubts: readonly RankingDoubt[];
}

/** What the runs of an evaluation allow to say about its models. */
export function findFindings({ rows, shape }: Pick<Grid, "rows" | "shape">): Findings {
  const problems = new ProblemIndex();
  const tallies = new Map(shape.models.map((model) => [model as ModelKey, new ModelTallies(problems)]));
  for (const row of rows) {
    const position = problems.number(row.id, row.tags);
    for (const [index, tally] of [...tallies.values()].entries()) {
      for (const letter of cellOf(row, shape, index)) {
        const ending = endingOf(letter);
        if (ending !== null) tally.add(position, ending, null);
      }
    }
  }
  const reports = [...tallies].map(([model, tally]) => [model, modelReport(tally, problems)] as const);
  const ranked = reports.toSorted(([, a], [, b]) => (b.accuracy?.value ?? -1) - (a.accuracy?.value ?? -1));
  const best = ranked[0]?.[0] ?? null;
  const others = ranked.slice(1).map(([model]) => model);
  const pairs = others.flatMap((other) => {
    const [first, second] = [best === null ? undefined : tallies.get(best), tallies.get(other)];
    return first === undefined || second === undefined ? [] : [[first, second] as const];
  });
  return {
    models: Object.fromEntries(reports),
    best,
    comparisons: compareAll(pairs).flatMap((comparison, at) => {
      const other = others[at];
      return other === undefined ? [] : [{ ...comparison, other }];
    }),
    doubts: rankingDoubts(tallies),
  };
}
