import type { ModelKey } from "../../domain/model.ts";
import type { Comparison } from "../../statistics/compare.ts";
import {
  ENDINGS,
  endingOf,
  ModelTallies,
  type ProblemCounts,
  ProblemIndex,
} from "../../statistics/outcomes.ts";
import {
  type EvaluationReport,
  evaluationReport,
  type ModelComparison,
  type ModelReport,
} from "../../statistics/report.ts";
import { cellOf, type VerdictGrid } from "./grid.ts";

export interface Findings extends Pick<EvaluationReport, "rankingDoubts" | "isRough"> {
  readonly models: Readonly<Record<string, ModelReport>>;
  /** The model with the highest accuracy. */
  readonly best: ModelKey | null;
  /** The best model against each of the others. */
  readonly comparisons: readonly BestAgainst[];
}

type BestAgainst = Comparison & { readonly other: ModelKey };

/** Computes the statistics of an evaluation from its verdicts. */
export function findFindings({ rows, shape }: Pick<VerdictGrid, "rows" | "shape">): Findings {
  const problems = new ProblemIndex();
  const models = new Map(shape.models.map((model) => [model as ModelKey, new ModelTallies(problems)]));
  for (const row of rows) {
    const position = problems.number(row.id, row.tags);
    for (const [index, tally] of [...models.values()].entries()) {
      for (const letter of cellOf(row, shape, index)) {
        const ending = endingOf(letter);
        if (ending !== null) tally.add(position, ending, null);
      }
    }
  }
  const report = evaluationReport({ models, problems });
  const accuracyOf = (model: ModelKey): number => report.models[model]?.accuracy?.value ?? -1;
  const [best = null, ...others] = [...models.keys()].sort((a, b) => accuracyOf(b) - accuracyOf(a));
  const comparisons = report.comparisons.flatMap((each) => seenFrom(best, each));
  const rank = ({ other }: BestAgainst): number => others.indexOf(other);
  return { ...report, best, comparisons: comparisons.sort((a, b) => rank(a) - rank(b)) };
}

function seenFrom(model: ModelKey | null, { first, second, ...seen }: ModelComparison): BestAgainst[] {
  if (model === first) return [{ ...seen, other: second }];
  return model === second ? [{ ...turned(seen), other: first }] : [];
}

const TURNED = {
  better: "worse",
  worse: "better",
  "not distinguishable": "not distinguishable",
} as const satisfies Record<Comparison["verdict"], Comparison["verdict"]>;

const turned = ({ difference, interval, verdict, ...rest }: Comparison): Comparison => ({
  ...rest,
  difference: difference === null ? null : 0 - difference,
  interval: interval === null ? null : { low: -interval.high, high: -interval.low },
  verdict: TURNED[verdict],
});

/** Counts how the runs of one model on one problem ended. */
export function countVerdicts(cell: string): ProblemCounts {
  const counts = Object.fromEntries(ENDINGS.map((ending) => [ending, 0])) as Record<
    keyof ProblemCounts,
    number
  >;
  for (const letter of cell) {
    const ending = endingOf(letter);
    if (ending !== null) counts[ending]++;
  }
  return counts;
}
