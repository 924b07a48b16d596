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
import type { Line, Span, Style } from "../text/screen.ts";
import { numberColumn, type TextTable } from "../text/table.ts";
import { cutToWidth } from "../text/width.ts";

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
    ...flaky.map(
      ([key, report]): Line => [[`${key}  `], [cutToWidth(nameFlaky(report), width - key.length - 2)]],
    ),
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
  columns: [{ title: "model" }, { title: "tag" }, numberColumn("problems"), numberColumn("accuracy")],
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

const { accuracy, correct, failed, tokens, cost, p50, p95 } = LEADERBOARD;

/** The columns that say how accurate, expensive and fast a model is. */
export const STATS_COLUMNS = [accuracy, correct, failed, tokens, cost, p50, p95] as const;

/** All other columns: more ways to count, and the cost per correct answer. */
export const MORE_COLUMNS: readonly ShownColumn[] = Object.values(LEADERBOARD).filter(
  (column) => !STATS_COLUMNS.some((shown) => shown === column),
);

/** Returns the columns that not every evaluation has: numbers that checkers gave, and how likely k trials are correct. */
export const ownColumnsOf = ({ stats, report }: ShownModels): readonly ShownColumn[] => [
  ...metricColumns(Object.values(stats)),
  ...passColumns(Object.values(report.models)),
];

/** Makes a table with a row per model; without columns it has no rows. */
export const modelTable = (columns: readonly ShownColumn[], { stats, report }: ShownModels): TextTable => ({
  columns: [{ title: "model" }, ...columns.map(({ title }) => numberColumn(title.toLowerCase()))],
  rows: (columns.length === 0 ? [] : (Object.entries(stats) as [ModelKey, ModelStats][])).map(
    ([key, each]) => {
      const row = { stats: each, report: report.models[key] ?? null };
      return [key, ...columns.map((column): Line => [[column.text(row), styleOf(column, each)]])];
    },
  ),
});

function styleOf(column: ShownColumn, stats: ModelStats): Style | undefined {
  if (column === accuracy) return "bold";
  if (column === failed && stats.failed > 0) return "yellow";
  return column === cost && stats.finished > 0 && stats.costUsd === null ? "dim" : undefined;
}

/** Lists models with their accuracy in few columns, the best first: `100% careful, 20.0% hasty`. */
export function modelsCell({ models, stats }: EvaluationRecord): Span {
  const names = shortNames(models.map(modelKey));
  if (stats === null) return [[...names.values()].join(", "), "dim"];
  const rated = [...names].map(([key, name]) => ({ name, accuracy: stats[key]?.accuracy ?? null }));
  const best = rated.toSorted((a, b) => (b.accuracy ?? -1) - (a.accuracy ?? -1));
  return [best.map(({ name, accuracy }) => `${formatShare(accuracy)} ${name}`).join(", ")];
}

/** The last part of a name says enough, unless another model has the same. */
function shortNames(keys: readonly ModelKey[]): Map<ModelKey, string> {
  const last = (key: ModelKey): string => key.slice(key.lastIndexOf("/") + 1);
  const isClear = new Set(keys.map(last)).size === keys.length;
  return new Map(keys.map((key) => [key, isClear ? last(key) : key]));
}
