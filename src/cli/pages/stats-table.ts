import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatShare, plural } from "../../domain/format.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import { formatEstimate } from "../../domain/stats/estimate.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import {
  LEADERBOARD,
  type LeaderboardRow,
  metricColumns,
  passColumns,
} from "../../statistics/leaderboard-columns.ts";
import type { EvaluationReport, ModelReport } from "../../statistics/report.ts";
import type { Line, Span } from "../text/screen.ts";
import { type Column, modelColumn, numberColumn, type TextTable } from "../text/table.ts";
import { cutToWidth, shortenName, textWidth } from "../text/width.ts";

const MOST_FLAKY = 10;

/** Names the problems that a model solves in some trials only. */
export function flakyLines({ models }: EvaluationReport, width: number): Line[] {
  const flaky = Object.entries(models).filter(([, report]) => report.flaky.length > 0);
  if (flaky.length === 0) return [];
  return [
    [
      ["Flaky", "bold"],
      ["  neither always correct nor always wrong", "dim"],
    ],
    ...flaky.map(([key, report]): Line => {
      const name = shortenName(key, Math.max(12, Math.floor(width / 2)));
      return [[`${name}  `], [cutToWidth(nameFlaky(report), width - textWidth(name) - 2)]];
    }),
  ];
}

function nameFlaky({ flaky }: ModelReport): string {
  const named = flaky
    .slice(0, MOST_FLAKY)
    .map(({ problemId, correct, runs }) => `${problemId} ${correct}/${runs}`);
  const left = flaky.length - named.length;
  return `${plural(flaky.length, "problem")}: ${named.join(", ")}${left > 0 ? `, … ${left} more` : ""}`;
}

/** Makes a table of the accuracy by tag. */
export const sliceTable = ({ models }: EvaluationReport): TextTable => ({
  columns: [modelColumn, { title: "tag" }, numberColumn("problems"), numberColumn("accuracy")],
  rows: Object.entries(models).flatMap(([key, { slices }]) =>
    slices.map(({ tag, problems, accuracy }) => [key, tag, String(problems), formatEstimate(accuracy)]),
  ),
});

interface ShownModels {
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly report: EvaluationReport;
}

interface ShownColumn {
  readonly title: string;
  readonly text: (row: LeaderboardRow) => string;
}

const { accuracy, correct, failed, score, cost, p50, p95, tokens } = LEADERBOARD;

/** Correct answers of what the accuracy counts, how many of those failed, and the runs that it does not count. */
const outcomes: ShownColumn = {
  title: correct.title,
  text: (row) => [correct.text(row), ...uncheckedRuns(row.stats)].join(" · "),
};

function uncheckedRuns({ unscored, failuresByFault: { model, code, infrastructure, stopped } }: ModelStats) {
  const parts = { failed: model, lost: code + infrastructure, stopped, undecided: unscored };
  return Object.entries(parts).flatMap(([word, count]) => (count === 0 ? [] : [`${count} ${word}`]));
}

/** Returns the columns that say how accurate, expensive and fast a model is, the least needed last. */
export const statsColumnsOf = (stats: readonly ModelStats[]): readonly ShownColumn[] => [
  ...[accuracy, outcomes],
  ...(stats.some(({ meanScore }) => meanScore !== null) ? [score] : []),
  ...[cost, p50, p95, tokens],
];

const SHOWN: readonly ShownColumn[] = [accuracy, correct, failed, score, cost, p50, p95, tokens];

/** All other columns: more ways to count, and the cost per correct answer. */
export const MORE_COLUMNS: readonly ShownColumn[] = Object.values(LEADERBOARD).filter(
  (column) => !SHOWN.includes(column),
);

/** Returns the columns that not every evaluation has: numbers that checkers gave, and how likely k trials are correct. */
export const ownColumnsOf = ({ stats, report }: ShownModels): readonly ShownColumn[] => [
  ...metricColumns(Object.values(stats)),
  ...passColumns(Object.values(report.models)),
];

/** Makes a table with a row per model; without columns it has no rows. */
export const modelTable = (columns: readonly ShownColumn[], shown: ShownModels): TextTable => ({
  columns: [modelColumn, ...columns.map(layOf)],
  rows: columns.length === 0 ? [] : modelRows(columns, shown),
});

/** The models of an evaluation under its name. */
export interface TitledModels extends ShownModels {
  readonly name: string;
}

/** Makes one table of the models of several evaluations. */
export function evaluationsTable(all: readonly TitledModels[]): TextTable {
  const columns = statsColumnsOf(all.flatMap(({ stats }) => Object.values<ModelStats>(stats)));
  return {
    columns: [{ title: "evaluation" }, modelColumn, ...columns.map(layOf)],
    rows: all.flatMap((each) => modelRows(columns, each).map((row) => [each.name, ...row])),
  };
}

function layOf(column: ShownColumn): Column {
  const title = column.title.toLowerCase();
  if (column === outcomes) return { title };
  return column === accuracy ? numberColumn(title) : { ...numberColumn(title), mayDrop: true };
}

const modelRows = (columns: readonly ShownColumn[], { stats, report }: ShownModels) =>
  (Object.entries(stats) as [ModelKey, ModelStats][]).map(([key, each]) => {
    const row = { stats: each, report: report.models[key] ?? null };
    return [key, ...columns.map((column): Line => cellOf(column, row))];
  });

function cellOf(column: ShownColumn, row: LeaderboardRow): Line {
  const text = column.text(row);
  if (column === accuracy) return [[text, "bold"]];
  if (column === outcomes) {
    const [first = "", ...rest] = text.split(/(?= · )/);
    return [[first], [rest.join(""), "yellow"]];
  }
  const isUnknown = column === cost && row.stats.finished > 0 && row.stats.costUsd === null;
  return [[text, isUnknown ? "dim" : undefined]];
}

/** Lists models with their accuracy in few columns, the best first: `100% careful, 20.0% hasty`. */
export function modelsCell({ models, stats }: EvaluationRecord): Span {
  const names = shortNames(models.map(modelKey));
  if (stats === null) return [[...names.values()].join(", "), "dim"];
  const rated = [...names].map(([key, name]) => ({ name, stats: stats[key] ?? null }));
  const best = rated.toSorted((a, b) => (b.stats?.accuracy ?? -1) - (a.stats?.accuracy ?? -1));
  return [best.map((each) => `${accuracyOrStop(each.stats)} ${each.name}`).join(", ")];
}

const accuracyOrStop = (stats: ModelStats | null): string =>
  stats === null ? formatShare(null) : accuracy.text({ stats, report: null });

/** The last part of a name says enough, unless another model has the same. */
function shortNames(keys: readonly ModelKey[]): Map<ModelKey, string> {
  const last = (key: ModelKey): string => key.slice(key.lastIndexOf("/") + 1);
  const isClear = new Set(keys.map(last)).size === keys.length;
  return new Map(keys.map((key) => [key, isClear ? last(key) : key]));
}
