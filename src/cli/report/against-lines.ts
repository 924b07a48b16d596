import { formatP, formatPoints } from "../../domain/show/format-interval.ts";
import type { ModelAgainst } from "../../domain/statistics/compare-evaluations.ts";
import { FEW_PROBLEMS } from "../../domain/statistics/evaluation-report.ts";
import type { Line, Span, Style } from "../text/line.ts";
import { type Column, layTable } from "../text/table.ts";
import { wrapText } from "../text/text-width.ts";
import { fewProblems } from "./few-problems.ts";

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
