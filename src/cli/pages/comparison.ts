import { formatP, formatPoints, plural } from "../../domain/format.ts";
import {
  type Comparison,
  comparisonSentence,
  formatAbout,
  leastDiffering,
  leastDropping,
  TOO_EARLY,
} from "../../statistics/compare.ts";
import { LEVEL } from "../../statistics/paired-tests.ts";
import {
  type EvaluationReport,
  FEW_PROBLEMS,
  isDrop,
  type ModelAgainst,
  type ModelComparison,
} from "../../statistics/report.ts";
import { type Line, type Style, wrapLine } from "../text/screen.ts";
import { type Cell, layTable, numberColumn, type TextTable } from "../text/table.ts";
import { wrapText } from "../text/width.ts";

/** An evaluation's models against those of a baseline. */
export interface Against {
  readonly baseline: string;
  readonly comparisons: readonly ModelAgainst[];
}

/** Compares each model with the baseline, with the notes that a reader needs. */
export function againstLines({ baseline, comparisons }: Against, width: number): Line[] {
  return [
    [["Against ", "bold"], [baseline], [", on the problems that both have", "dim"]],
    ...layTable(againstTable(comparisons), width),
    ...againstNotes(comparisons).flatMap((note) => wrapLine(note, width, "dim")),
  ];
}

/** Makes a table with a row per comparison. */
export const againstTable = (comparisons: readonly ModelAgainst[]): TextTable => ({
  columns: [
    { title: "model" },
    ...["problems", "difference", "95%", "p"].map(numberColumn),
    { title: "verdict", mayWrap: true },
  ],
  rows: comparisons.map(againstCells),
});

function againstCells(comparison: ModelAgainst): Cell[] {
  const { pairedProblems, difference, interval, adjustedP, verdict } = comparison;
  const isEarly = verdict === "too early";
  return [
    comparisonName(comparison),
    String(pairedProblems),
    difference === null ? "–" : formatPoints(difference),
    interval === null || isEarly ? "–" : `${formatPoints(interval.low)} to ${formatPoints(interval.high)}`,
    isEarly ? "–" : formatP(adjustedP),
    [[verdictWords(comparison), STYLES[verdict]]],
  ];
}

function verdictWords(comparison: ModelAgainst): string {
  const { verdict, detectable, problemsNeeded, difference, dropP } = comparison;
  if (verdict !== "not distinguishable") return verdict;
  if (isDrop(comparison)) return `not distinguishable, but a drop for a gate (one-sided p ${formatP(dropP)})`;
  const size =
    detectable === null ? "nothing could show" : `${Math.ceil(detectable * 100)} points would show`;
  const seen = formatPoints(difference ?? 0);
  const needed =
    problemsNeeded === null || seen === "0.0"
      ? ""
      : `; if really ${seen}, about ${formatAbout(problemsNeeded)} problems`;
  return `not distinguishable: ${size}${needed}`;
}

const comparisonName = ({ model, baselineModel }: ModelAgainst): string =>
  model === baselineModel ? model : `${model} / ${baselineModel}`;

export const againstNotes = (comparisons: readonly ModelAgainst[]): string[] => [
  "Difference: percentage points of the mean share of correct runs per problem, with its 95% interval for problems like these.",
  ...comparisonNotes(comparisons),
  ...(comparisons.some((each) => isDrop(each) && each.verdict !== "worse") ? [GATE_NOTE] : []),
  ...fewNotes(comparisons),
];

const GATE_NOTE =
  "A gate (--fail-on-regression) asks only whether a model got worse, so it sees smaller drops than a test of any difference.";

function fewNotes(comparisons: readonly ModelAgainst[]): string[] {
  const few = fewProblems(comparisons);
  if (few !== null) return [`${few.says}; that needs at least ${few.least}.`];
  const isRough = comparisons.some(({ pairedProblems }) => pairedProblems < FEW_PROBLEMS);
  return isRough ? [`With fewer than ${FEW_PROBLEMS} problems, intervals and tests are approximate.`] : [];
}

const STYLES = {
  better: "green",
  worse: "red",
  "not distinguishable": "dim",
  "too early": "dim",
} as const satisfies Record<ModelAgainst["verdict"], Style>;

/** More comparisons than this are not read; `show` has all of them. */
const MOST_SHOWN = 6;

/** Compares any two models; nothing where there is only one. */
export function comparisonLines({ comparisons }: EvaluationReport, width: number, most = MOST_SHOWN): Line[] {
  const seen = comparisons.filter(({ pairedProblems }) => pairedProblems > 0);
  if (seen.length === 0) return [];
  const left = seen.length - most;
  return [
    [["Compared", "bold"]],
    ...seen.slice(0, most).flatMap((comparison) => sentenceLines(comparison, width)),
    ...(left > 0 ? [[[`… ${left} more pairs; show has all of them`, "dim"]] satisfies Line] : []),
    ...comparisonNotes(comparisons).map((note): Line => [[note, "dim"]]),
  ];
}

/** Says what p-values are, and when there are none yet. */
export function comparisonNotes(comparisons: readonly Comparison[]): string[] {
  if (comparisons.some(({ verdict }) => verdict === "too early")) return [TOO_EARLY];
  return comparisons.length > 1 ? [`p: corrected for ${comparisons.length} comparisons (Holm).`] : [];
}

function sentenceLines(comparison: ModelComparison, width: number): Line[] {
  const sentence = comparisonSentence(comparison.first, comparison.second, comparison);
  const indent = "  ";
  const [first = "", ...more] = wrapText(sentence, Math.max(20, width - indent.length));
  return [[[first]], ...more.map((line): Line => [[`${indent}${line}`]])];
}

interface FewProblems {
  readonly says: string;
  /** The number that is needed, with as many comparisons. */
  readonly least: number;
}

/** Finds that there are too few problems for any difference to be significant; null when each comparison has enough. */
const fewProblems = (comparisons: readonly Comparison[]): FewProblems | null =>
  fewerThan(leastDiffering(LEVEL / comparisons.length), comparisons, "difference");

/** Finds the same of drops, for which a gate has a test of its own. */
export const tooFewToDrop = (comparisons: readonly Comparison[]): FewProblems | null =>
  fewerThan(leastDropping(LEVEL / comparisons.length), comparisons, "drop");

function fewerThan(least: number, comparisons: readonly Comparison[], what: string): FewProblems | null {
  const compared = comparisons.map(({ pairedProblems }) => pairedProblems).filter((count) => count > 0);
  const fewest = Math.min(...compared);
  if (fewest >= least) return null;
  return { says: `With ${plural(fewest, "problem")} no ${what} can be statistically significant`, least };
}
