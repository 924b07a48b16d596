import { comparisonSentence } from "../../domain/show/comparison-sentence.ts";
import type { EvaluationReport, ModelComparison } from "../../domain/statistics/evaluation-report.ts";
import type { Line } from "../text/line.ts";
import { wrapText } from "../text/text-width.ts";

/** So many comparisons are read; a larger evaluation has a page for them. */
const MOST_SHOWN = 6;

/** Whether any two models differ; nothing where there is only one. */
export function comparisonLines({ comparisons }: EvaluationReport, width: number, most = MOST_SHOWN): Line[] {
  const seen = comparisons.filter(({ pairedProblems }) => pairedProblems > 0);
  if (seen.length === 0) return [];
  const left = seen.length - most;
  return [
    [["Compared", "bold"]],
    ...seen.slice(0, most).flatMap((comparison) => sentenceLines(comparison, width)),
    ...(left > 0 ? [[[`… ${left} more pairs; show has all of them`, "dim"]] satisfies Line] : []),
    ...(comparisons.length > 1
      ? [[[`p: corrected for ${comparisons.length} comparisons (Holm).`, "dim"]] satisfies Line]
      : []),
  ];
}

function sentenceLines(comparison: ModelComparison, width: number): Line[] {
  const sentence = comparisonSentence(comparison.first, comparison.second, comparison);
  const indent = "  ";
  const [first = "", ...more] = wrapText(sentence, Math.max(20, width - indent.length));
  return [[[first]], ...more.map((line): Line => [[`${indent}${line}`]])];
}
