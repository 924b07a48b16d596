import type { EvaluationRecord } from "../../domain/evaluation.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatEstimate,
  formatShare,
  plural,
} from "../../domain/format.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { costPerSolved, type EvaluationReport, type ModelReport } from "../../statistics/report.ts";
import type { Estimate } from "../../statistics/shares.ts";
import type { Line, Span } from "../text/line.ts";
import { type Column, layTable } from "../text/table.ts";
import { cutText } from "../text/width.ts";

const MOST_FLAKY = 10;

/** How likely one of k trials is right, and all of them: for two trials and for as many as there are. */
export function passTable({ models }: EvaluationReport, width: number): Line[] {
  const most = Math.max(0, ...Object.values(models).map(({ passes }) => passes.length));
  if (most < 2) return [];
  const chosen = [...new Set([2, most])];
  const columns: Column[] = chosen.flatMap((k) => [right(`pass@${k}`), right(`pass^${k}`)]);
  const rows = Object.entries(models).map(([key, { passes }]) => [
    [key] as const,
    ...chosen.flatMap((k) => {
      const pass = passes[k - 1];
      return [[formatShare(pass?.passAtK ?? null)] as const, [formatShare(pass?.passHatK ?? null)] as const];
    }),
  ]);
  return layTable([{ title: "model" }, ...columns], rows, width);
}

/** The problems that a model gets right now and then. */
export function flakyLines({ models }: EvaluationReport, width: number): Line[] {
  const flaky = Object.entries(models).filter(([, report]) => report.flaky.length > 0);
  if (flaky.length === 0) return [];
  return [
    [
      ["Flaky", "bold"],
      ["  neither always right nor always wrong", "dim"],
    ],
    ...flaky.map(
      ([key, report]): Line => [[`${key}  `], [cutText(nameFlaky(report), width - key.length - 2)]],
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

/** The accuracy by tag. */
export function sliceTable({ models }: EvaluationReport, width: number): Line[] {
  const rows = Object.entries(models).flatMap(([key, { slices }]) =>
    slices.map(({ tag, problems, accuracy }) => [
      [key] as const,
      [tag] as const,
      [String(problems)] as const,
      [formatEstimate(accuracy)] as const,
    ]),
  );
  if (rows.length === 0) return [];
  return layTable([{ title: "model" }, { title: "tag" }, right("problems"), right("accuracy")], rows, width);
}

const right = (title: string): Column => ({ title, align: "right" });

type Stats = Readonly<Record<ModelKey, ModelStats>>;

/** How good, how dear and how fast each model is. */
export function statsTable(stats: Stats, { models }: EvaluationReport, width: number): Line[] {
  return layTable(
    COLUMNS,
    entriesOf(stats).map(([key, each]) => [
      [key],
      [formatEstimate(models[key]?.accuracy ?? null), "bold"],
      [`${each.correct}/${each.scored}`],
      [String(each.failed), each.failed > 0 ? "yellow" : undefined],
      [`${formatCount(each.inputTokens)}/${formatCount(each.outputTokens)}`],
      costCell(each),
      [duration(each.p50RuntimeSeconds)],
      [duration(each.p95RuntimeSeconds)],
    ]),
    width,
  );
}

/** The other ways to count, over answers that were scored and over every run, and what a right answer costs. */
export function accuracyTable(stats: Stats, { models }: EvaluationReport, width: number): Line[] {
  return layTable(
    ACCURACY_COLUMNS,
    entriesOf(stats).map(([key, each]) => [
      [key],
      [formatEstimate(models[key]?.accuracyOfScored ?? null)],
      [formatEstimate(models[key]?.accuracyOfAll ?? null)],
      [formatShare(each.failureRate)],
      [scoreText(models[key]?.meanScore ?? null)],
      [costOfRight(each)],
      [`${each.finished}/${each.planned}`],
    ]),
    width,
  );
}

const COLUMNS = [
  { title: "model" },
  right("accuracy"),
  right("correct"),
  right("failed"),
  right("tokens"),
  right("cost"),
  right("p50"),
  right("p95"),
];

const ACCURACY_COLUMNS = [
  { title: "model" },
  right("of scored"),
  right("of all"),
  right("failed"),
  right("score"),
  right("per right"),
  right("runs"),
];

const entriesOf = (stats: Stats) => Object.entries(stats) as [ModelKey, ModelStats][];

const duration = (seconds: number | null): string => (seconds === null ? "–" : formatDuration(seconds));

function costCell(stats: ModelStats): Span {
  if (stats.finished === 0) return ["–"];
  if (stats.costUsd === null) return ["unknown", "dim"];
  return [formatCost(stats.costUsd, stats.runsWithUnknownCost)];
}

const scoreText = (score: Estimate | null): string =>
  score === null ? "–" : `${score.value.toFixed(3)} ${score.low.toFixed(2)}–${score.high.toFixed(2)}`;

function costOfRight(stats: ModelStats): string {
  const cost = costPerSolved(stats);
  return cost === null ? "–" : formatCost(cost.usd, cost.isLowerBound ? 1 : 0);
}

/** Which models, and how good, in few columns and the best first: `100% careful, 20.0% hasty`. */
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
