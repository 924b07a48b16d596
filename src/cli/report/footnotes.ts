import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { formatCost } from "../../domain/show/format-cost.ts";
import { formatCount } from "../../domain/show/format-count.ts";
import { type EvaluationReport, FEW_PROBLEMS } from "../../domain/statistics/evaluation-report.ts";
import type { Line, Style } from "../text/line.ts";
import { wrapText } from "../text/text-width.ts";

/** What a reader must know to trust the table; nothing that does not apply. */
export function footnotes(
  stats: Readonly<Record<ModelKey, ModelStats>>,
  report: EvaluationReport,
  width: number,
  accuracies: readonly string[],
): Line[] {
  const all = Object.entries(stats) as [ModelKey, ModelStats][];
  const scripted = all.filter(([key]) => key.startsWith("scripted/"));
  const notes = [
    ...accuracies,
    ...(report.isRough ? [`Under ${FEW_PROBLEMS} problems intervals are rough.`] : []),
    ...(all.some(([, each]) => each.unscored > 0)
      ? ["Answers that the checker could not judge count only for all runs."]
      : []),
    ...(all.some(([, each]) => each.costUsd !== null && each.runsWithUnknownCost > 0)
      ? ["≥: some runs have no known price and are not in the sum."]
      : []),
    ...(all.some(([, each]) => each.runsWithUnknownUsage > 0 && each.finished > each.failed)
      ? ["Some runs reported no tokens; they are not in the sum."]
      : []),
    ...judging(all.map(([, each]) => each)),
  ];
  const lines = [
    ...notes.flatMap((note) => wrapped(note, width, "dim")),
    ...doubts(report).flatMap((note) => wrapped(note, width, "yellow")),
  ];
  if (scripted.length === 0) return lines;
  const which = scripted.length === all.length ? "These models are" : "Models named scripted/… are";
  return [
    ...lines,
    ...wrapped(`${which} scripted: replies come from the evaluation file.`, width, "yellow"),
    ...wrapped("The numbers show how the evaluator works, not how good a model is.", width, "yellow"),
  ];
}

const wrapped = (text: string, width: number, style: Style): Line[] =>
  wrapText(text, width).map((piece): Line => [[piece, style]]);

function judging(all: readonly ModelStats[]): string[] {
  const sum = (pick: (stats: ModelStats) => number) => all.reduce((total, each) => total + pick(each), 0);
  const [input, output] = [sum((each) => each.judgeInputTokens), sum((each) => each.judgeOutputTokens)];
  if (input + output === 0) return [];
  const isKnown = all.some((each) => each.judgeCostUsd !== null);
  const costUsd = isKnown ? sum((each) => each.judgeCostUsd ?? 0) : null;
  const cost = formatCost(
    costUsd,
    sum((each) => each.runsWithUnknownJudgeCost),
  );
  return [
    `Judging took ${formatCount(input)}/${formatCount(output)} tokens more, cost ${cost}; not in the table.`,
  ];
}

/** One sentence, however many pairs there are: the first shows what is meant. */
function doubts({ rankingDoubts: [doubt, ...others] }: EvaluationReport): string[] {
  if (doubt === undefined) return [];
  const more = others.length === 0 ? "" : `, and ${others.length} more pairs`;
  return [
    `The infrastructure failed ${doubt.lostRuns} runs of ${doubt.ahead} and ${doubt.behind}${more}: without that, their order could be another.`,
  ];
}
