import { formatP, formatPoints, plural } from "../../domain/format.ts";
import {
  type Comparison,
  comparisonSentence,
  leastDiffering,
  type ModelAgainst,
} from "../../statistics/compare.ts";
import { LEVEL } from "../../statistics/paired-tests.ts";
import { type EvaluationReport, FEW_PROBLEMS, type ModelComparison } from "../../statistics/report.ts";
import type { Line, Span, Style } from "../text/line.ts";
import { type Column, layTable } from "../text/table.ts";
import { wrapText } from "../text/width.ts";

/** How each model does against the baseline, with what a reader must know to trust it. */
export function againstLines(baseline: string, comparisons: readonly ModelAgainst[], width: number): Line[] {
  const rows = comparisons.map((comparison) => [
    [nameOf(comparison)] as const,
    [String(comparison.pairedProblems)] as const,
    [comparison.difference === null ? "–" : formatPoints(comparison.difference)] as const,
    [rangeOf(comparison)] as const,
    [formatP(comparison.adjustedP)] as const,
    verdictSpan(comparison),
  ]);
  return [
    [["Against ", "bold"], [baseline], [", on the problems that both have", "dim"]],
    ...layTable(COLUMNS, rows, width),
    ...notes(comparisons).flatMap((note) => wrapText(note, width).map((piece): Line => [[piece, "dim"]])),
  ];
}

export const nameOf = ({ model, baselineModel }: ModelAgainst): string =>
  model === baselineModel ? model : `${model} / ${baselineModel}`;

export const rangeOf = ({ interval }: ModelAgainst): string =>
  interval === null ? "–" : `${formatPoints(interval.low)} to ${formatPoints(interval.high)}`;

/** The verdict, and what it would take where there is none. */
export function verdictText({ verdict, problemsNeeded }: ModelAgainst): string {
  if (problemsNeeded === null) return verdict;
  return `${verdict}; ~${problemsNeeded.toLocaleString("en-US")} problems would tell`;
}

export const notes = (comparisons: readonly ModelAgainst[]): string[] => [
  "Difference: points of the mean share of right runs per problem, with its 95% interval.",
  ...(comparisons.length > 1 ? [`p: corrected for ${comparisons.length} comparisons (Holm).`] : []),
  ...fewNotes(comparisons),
];

function fewNotes(comparisons: readonly ModelAgainst[]): string[] {
  const few = fewProblems(comparisons);
  if (few !== null) return [`${few.says}; that takes at least ${few.least}.`];
  const isRough = comparisons.some(({ pairedProblems }) => pairedProblems < FEW_PROBLEMS);
  return isRough ? [`Under ${FEW_PROBLEMS} problems intervals and tests are rough.`] : [];
}

const STYLES = { better: "green", worse: "red", "not distinguishable": "dim" } as const satisfies Record<
  ModelAgainst["verdict"],
  Style
>;

const verdictSpan = (comparison: ModelAgainst): Span => [verdictText(comparison), STYLES[comparison.verdict]];

const COLUMNS: readonly Column[] = [
  { title: "model" },
  { title: "problems", align: "right" },
  { title: "difference", align: "right" },
  { title: "95%", align: "right" },
  { title: "p", align: "right" },
  { title: "verdict" },
];

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
