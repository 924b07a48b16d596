import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatShare, plural } from "../../domain/format.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import { formatEstimate } from "../../domain/stats/estimate.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import {
  LEADERBOARD,
  type LeaderboardName,
  type LeaderboardRow,
  passColumns,
} from "../../statistics/leaderboard-columns.ts";
import type { EvaluationReport, ModelReport } from "../../statistics/report.ts";
import type { Line, Span, Style } from "../text/screen.ts";
import { layTable, numberColumn } from "../text/table.ts";
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

/** Shows the accuracy by tag. */
export function sliceTable({ models }: EvaluationReport, width: number): Line[] {
  const rows = Object.entries(models).flatMap(([key, { slices }]) =>
    slices.map(({ tag, problems, accuracy }) => [key, tag, String(problems), formatEstimate(accuracy)]),
  );
  if (rows.length === 0) return [];
  return layTable(
    [{ title: "model" }, { title: "tag" }, numberColumn("problems"), numberColumn("accuracy")],
    rows,
    width,
  );
}

type Stats = Readonly<Record<ModelKey, ModelStats>>;

/** The models of an evaluation with what their rows are made of. */
export const leaderboardRows = (stats: Stats, { models }: EvaluationReport): [ModelKey, LeaderboardRow][] =>
  (Object.entries(stats) as [ModelKey, ModelStats][]).map(([key, each]) => [
    key,
    { stats: each, report: models[key] ?? null },
  ]);

/** Shows how accurate, expensive and fast each model is. */
export const statsTable = (stats: Stats, report: EvaluationReport, width: number): Line[] =>
  modelTable(STATS_COLUMNS, leaderboardRows(stats, report), width);

/** Shows the other ways to count, over scored answers and over every run, and the cost per correct answer. */
export const accuracyTable = (stats: Stats, report: EvaluationReport, width: number): Line[] =>
  modelTable(ACCURACY_COLUMNS, leaderboardRows(stats, report), width);

/** Shows how likely one of k trials is correct, and all of them. */
export function passTable({ models }: EvaluationReport, width: number): Line[] {
  const columns = passColumns(Object.values(models));
  if (columns.length === 0) return [];
  const rows = Object.entries(models).map(([key, report]) => [
    key,
    ...columns.map(({ text }) => text({ report })),
  ]);
  return layTable([{ title: "model" }, ...columns.map(({ title }) => numberColumn(title))], rows, width);
}

export const STATS_COLUMNS = ["accuracy", "correct", "failed", "tokens", "cost", "p50", "p95"] as const;

const ACCURACY_COLUMNS = [
  "accuracyOfScored",
  "accuracyOfAll",
  "failureRate",
  "score",
  "costPerCorrect",
  "runs",
] as const;

const modelTable = (
  names: readonly LeaderboardName[],
  rows: readonly (readonly [ModelKey, LeaderboardRow])[],
  width: number,
): Line[] =>
  layTable(
    [{ title: "model" }, ...names.map((name) => numberColumn(LEADERBOARD[name].title.toLowerCase()))],
    rows.map(([key, row]) => [
      key,
      ...names.map((name): Line => [[LEADERBOARD[name].text(row), styleOf(name, row.stats)]]),
    ]),
    width,
  );

function styleOf(name: LeaderboardName, { failed, finished, costUsd }: ModelStats): Style | undefined {
  if (name === "accuracy") return "bold";
  if (name === "failed" && failed > 0) return "yellow";
  return name === "cost" && finished > 0 && costUsd === null ? "dim" : undefined;
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
