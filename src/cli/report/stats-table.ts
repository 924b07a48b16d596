import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { formatCost } from "../../domain/show/format-cost.ts";
import { formatCount } from "../../domain/show/format-count.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import { formatShare } from "../../domain/show/format-share.ts";
import type { Line, Span } from "../text/line.ts";
import { type Column, layTable } from "../text/table.ts";

type Stats = Readonly<Record<ModelKey, ModelStats>>;

/** How good, how dear and how fast each model is. */
export function statsTable(stats: Stats, width: number): Line[] {
  return layTable(
    COLUMNS,
    entriesOf(stats).map(([key, each]) => [
      [key],
      [formatShare(each.accuracy), "bold"],
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

/** The other ways to count: over answers that were scored, and over every run. */
export function accuracyTable(stats: Stats, width: number): Line[] {
  return layTable(
    ACCURACY_COLUMNS,
    entriesOf(stats).map(([key, each]) => [
      [key],
      [formatShare(each.accuracy), "bold"],
      [formatShare(each.accuracyOfScored)],
      [formatShare(each.accuracyOfAll)],
      [formatShare(each.failureRate)],
      [String(each.unscored)],
      [each.meanScore === null ? "–" : each.meanScore.toFixed(3)],
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
  right("tok in/out"),
  right("cost"),
  right("p50"),
  right("p95"),
];

const ACCURACY_COLUMNS = [
  { title: "model" },
  right("accuracy"),
  right("of scored"),
  right("of all"),
  right("failed"),
  right("unscored"),
  right("score"),
  right("runs"),
];

const entriesOf = (stats: Stats) => Object.entries(stats) as [ModelKey, ModelStats][];

const duration = (seconds: number | null): string => (seconds === null ? "–" : formatDuration(seconds));

function costCell(stats: ModelStats): Span {
  if (stats.finished === 0) return ["–"];
  if (stats.costUsd === null) return ["unknown", "dim"];
  return [formatCost(stats.costUsd, stats.runsWithUnknownCost)];
}
