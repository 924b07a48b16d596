import type { ModelKey } from "../../domain/model.ts";
import { type Comparison, comparisonSentence, TOO_EARLY } from "../../statistics/compare.ts";
import { endingOf, ModelTallies, type Outcomes, ProblemIndex } from "../../statistics/outcomes.ts";
import {
  type ComparedSide,
  compareEvaluations,
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
export function findFindings(grid: ShownVerdicts, isRunning = false): Findings {
  const { models, problems } = tallyGrid(grid);
  const report = evaluationReport({ models, problems }, isRunning);
  const accuracyOf = (model: ModelKey): number => report.models[model]?.accuracy?.value ?? -1;
  const [best = null, ...others] = [...models.keys()].sort((a, b) => accuracyOf(b) - accuracyOf(a));
  const comparisons = report.comparisons.flatMap((each) => seenFrom(best, each));
  const rank = ({ other }: BestAgainst): number => others.indexOf(other);
  return { ...report, best, comparisons: comparisons.sort((a, b) => rank(a) - rank(b)) };
}

type ShownVerdicts = Pick<VerdictGrid, "rows" | "shape">;

function tallyGrid({ rows, shape }: ShownVerdicts): Pick<Outcomes, "models" | "problems"> {
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
  return { models, problems };
}

/** One side of a page that compares: the verdicts of an evaluation, and the model of it that is meant. */
export interface ComparedGrid extends ShownVerdicts {
  readonly id: string;
  readonly model: string;
  readonly isRunning: boolean;
}

/** Says what two sides allow to say, among as many other pairs as on any other page; null without such models. */
export function compareSides(a: ComparedGrid, b: ComparedGrid): string | null {
  const side = ({ id, model, isRunning, ...grid }: ComparedGrid): ComparedSide => ({
    evaluation: id,
    outcomes: tallyGrid(grid),
    model: model as ModelKey,
    isRunning,
  });
  const [comparison] = compareEvaluations(side(a), side(b));
  if (comparison === undefined) return null;
  const sentence = comparisonSentence(`A (${a.model})`, `B (${b.model})`, comparison);
  return comparison.verdict === "too early" ? `${sentence} ${TOO_EARLY}` : sentence;
}

function seenFrom(model: ModelKey | null, { first, second, ...seen }: ModelComparison): BestAgainst[] {
  if (model === first) return [{ ...seen, other: second }];
  return model === second ? [{ ...turned(seen), other: first }] : [];
}

const TURNED = {
  better: "worse",
  worse: "better",
  "not distinguishable": "not distinguishable",
  "too early": "too early",
} as const satisfies Record<Comparison["verdict"], Comparison["verdict"]>;

const turned = ({ difference, interval, verdict, ...rest }: Comparison): Comparison => ({
  ...rest,
  difference: difference === null ? null : 0 - difference,
  interval: interval === null ? null : { low: -interval.high, high: -interval.low },
  verdict: TURNED[verdict],
});
