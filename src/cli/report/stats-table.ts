import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { formatCost } from "../../domain/show/format-cost.ts";
import { formatCount } from "../../domain/show/format-count.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import { formatEstimate } from "../../domain/show/format-interval.ts";
import { formatShare } from "../../domain/show/format-share.ts";
import { costPerSolved } from "../../domain/statistics/cost-per-solved.ts";
import type { EvaluationReport } from "../../domain/statistics/evaluation-report.ts";
import type { Estimate } from "../../domain/statistics/interval.ts";
import type { Line, Span } from "../text/line.ts";
import { type Column, layTable } from "../text/table.ts";

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

const right = (title: string): Column => ({ title, align: "right" });

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
