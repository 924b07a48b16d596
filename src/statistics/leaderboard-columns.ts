import { formatCost, formatCount, formatDuration, formatShare } from "../domain/format.ts";
import type { Estimate } from "../domain/stats/estimate.ts";
import { formatEstimate } from "../domain/stats/estimate.ts";
import type { ModelStats } from "../domain/stats/stats.ts";
import { costPerSolved, type ModelReport } from "./report.ts";

/** A model of an evaluation, as the command's tables, `--summary` and the dashboard show it; safe for browsers. */
export interface LeaderboardRow {
  readonly stats: ModelStats;
  /** Null until intervals are known; then only shares are shown. */
  readonly report: ModelReport | null;
}

interface LeaderboardColumn {
  readonly title: string;
  readonly hint: string;
  readonly text: (row: LeaderboardRow) => string;
  /** A number that is larger for what comes first; null comes last. */
  readonly rank: (row: LeaderboardRow) => number | null;
}

/** All columns that say how accurate, fast and expensive a model is, under the names of their values. */
export const LEADERBOARD = {
  accuracy: {
    title: "Accuracy",
    hint: "correct / (scored + the model's own failures), with its 95% interval for problems like these",
    text: ({ stats, report }) => howFarStopped(stats) ?? shareText(report?.accuracy, stats.accuracy),
    rank: ({ stats }) => stats.accuracy,
  },
  accuracyOfScored: {
    title: "Of scored",
    hint: "correct / answers that were checked",
    text: ({ stats, report }) => shareText(report?.accuracyOfScored, stats.accuracyOfScored),
    rank: ({ stats }) => stats.accuracyOfScored,
  },
  accuracyOfAll: {
    title: "Of all",
    hint: "correct / every run that ended, whoever is to blame for its failure",
    text: ({ stats, report }) => shareText(report?.accuracyOfAll, stats.accuracyOfAll),
    rank: ({ stats }) => stats.accuracyOfAll,
  },
  score: {
    title: "Score",
    hint: "mean score of the answers that have one",
    text: ({ stats, report }) => meanText(report?.meanScore, stats.meanScore),
    rank: ({ stats }) => stats.meanScore,
  },
  correct: {
    title: "Correct",
    hint: "correct / (scored + the model's own failures), as the accuracy",
    text: ({ stats }) => `${stats.correct}/${stats.scored + stats.failuresByFault.model}`,
    rank: ({ stats }) => stats.correct,
  },
  failed: {
    title: "Failed",
    hint: "runs without an answer",
    text: ({ stats }) => String(stats.failed),
    rank: ({ stats }) => -stats.failed,
  },
  failureRate: {
    title: "Failure rate",
    hint: "runs without an answer / every run that ended",
    text: ({ stats }) => formatShare(stats.failureRate),
    rank: ({ stats }) => negative(stats.failureRate),
  },
  tokens: {
    title: "Tokens",
    hint: "tokens in / out",
    text: ({ stats }) => `${formatCount(stats.inputTokens)}/${formatCount(stats.outputTokens)}`,
    rank: ({ stats }) => -(stats.inputTokens + stats.outputTokens),
  },
  cost: {
    title: "Cost",
    hint: "cost of all runs",
    text: ({ stats }) => (stats.finished === 0 ? NONE : formatCost(stats.costUsd, stats.runsWithUnknownCost)),
    rank: ({ stats }) => negative(stats.costUsd),
  },
  costPerCorrect: {
    title: "Per correct",
    hint: "cost per correct answer",
    text: ({ stats }) => {
      const cost = costPerSolved(stats);
      return cost === null ? NONE : formatCost(cost.usd, cost.isLowerBound ? 1 : 0);
    },
    rank: ({ stats }) => negative(costPerSolved(stats)?.usd ?? null),
  },
  p50: {
    title: "p50",
    hint: "half of the runs took less",
    text: ({ stats }) => duration(stats.p50RuntimeSeconds),
    rank: ({ stats }) => negative(stats.p50RuntimeSeconds),
  },
  p95: {
    title: "p95",
    hint: "19 of 20 runs took less",
    text: ({ stats }) => duration(stats.p95RuntimeSeconds),
    rank: ({ stats }) => negative(stats.p95RuntimeSeconds),
  },
  runs: {
    title: "Runs",
    hint: "runs that ended / planned runs",
    text: ({ stats }) => `${stats.finished}/${stats.planned}`,
    rank: ({ stats }) => stats.finished,
  },
} as const satisfies Record<string, LeaderboardColumn>;

export type LeaderboardName = keyof typeof LEADERBOARD;

const NONE = "–";

/** Says that a model was stopped before its end, in place of an accuracy that holds for the first problems alone. */
export function howFarStopped({
  finished,
  planned,
  failuresByFault: { stopped },
}: ModelStats): string | null {
  return stopped === 0 ? null : `stopped (${finished - stopped} of ${planned})`;
}

const negative = (value: number | null): number | null => (value === null ? null : -value);

const duration = (seconds: number | null): string => (seconds === null ? NONE : formatDuration(seconds));

const shareText = (estimate: Estimate | null | undefined, share: number | null): string =>
  estimate ? formatEstimate(estimate) : formatShare(share);

function meanText(estimate: Estimate | null | undefined, mean: number | null): string {
  if (estimate) return `${estimate.value.toFixed(3)} ${estimate.low.toFixed(2)}–${estimate.high.toFixed(2)}`;
  return mean === null ? NONE : mean.toFixed(3);
}

/** A column that not every evaluation has. */
interface OwnColumn extends Pick<LeaderboardColumn, "title" | "hint" | "text"> {
  readonly rank?: LeaderboardColumn["rank"];
}

/** Makes a column of each further number that checkers gave. */
export function metricColumns(stats: readonly ModelStats[]): OwnColumn[] {
  const names = [...new Set(stats.flatMap(({ metrics }) => Object.keys(metrics)))].sort();
  return names.map((name) => ({
    title: name,
    hint: `mean ${name} of the answers that have one`,
    text: ({ stats, report }) =>
      meanText(own(report?.metrics ?? {}, name), own(stats.metrics, name)?.mean ?? null),
    rank: ({ stats }) => own(stats.metrics, name)?.mean ?? null,
  }));
}

/** A name that a checker chose may be one that every object has. */
const own = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** A column of pass@k or pass^k, which only a report knows. */
interface PassColumn extends Pick<LeaderboardColumn, "title" | "hint"> {
  readonly text: (row: Pick<LeaderboardRow, "report">) => string;
}

/** Makes the columns pass@k and pass^k, for two trials and for as many as there are; none where a problem has one trial. */
export function passColumns(reports: readonly ModelReport[]): PassColumn[] {
  const most = Math.max(0, ...reports.map(({ passes }) => passes.length));
  if (most < 2) return [];
  const over = `on the problems with all ${most} trials`;
  return [...new Set([2, most])].flatMap((k) => [
    {
      title: `pass@${k}`,
      hint: `chance that at least one of ${k} trials is correct, ${over}`,
      text: ({ report }) => shareText(report?.passes[k - 1]?.passAtK, null),
    },
    {
      title: `pass^${k}`,
      hint: `chance that all of ${k} trials are correct, ${over}`,
      text: ({ report }) => shareText(report?.passes[k - 1]?.passHatK, null),
    },
  ]);
}
