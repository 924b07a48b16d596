import { type ReactNode, useState } from "react";
import { formatCost, formatCount, formatDuration, formatShare } from "../../domain/format.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { costPerSolved } from "../../statistics/report.ts";
import { type Interval, wilsonInterval } from "../../statistics/shares.ts";
import type { Findings } from "../data/findings.ts";
import { plainText } from "../data/plain-text.ts";
import type { StatsByModel } from "../data/source.ts";

interface Column {
  readonly title: string;
  readonly hint?: string;
  readonly isNumber?: true;
  /** Whether it has anything to say; it does without this. */
  readonly isShown?: (all: readonly ModelStats[]) => boolean;
  /** Larger is shown first; null comes last. */
  readonly rank: (stats: ModelStats) => number | null;
  readonly show: (stats: ModelStats, interval: Interval | null) => ReactNode;
}

const COLUMNS: readonly Column[] = [
  {
    title: "Accuracy",
    hint: "correct / (scored + the model's own failures), with its 95% interval",
    rank: ({ accuracy }) => accuracy,
    show: (stats, interval) => <Accuracy stats={stats} interval={interval} />,
  },
  {
    title: "of scored",
    hint: "correct / answers that were checked",
    isNumber: true,
    rank: ({ accuracyOfScored }) => accuracyOfScored,
    show: ({ accuracyOfScored }) => formatShare(accuracyOfScored),
  },
  {
    title: "of all",
    hint: "correct / every run that ended, whoever's fault",
    isNumber: true,
    rank: ({ accuracyOfAll }) => accuracyOfAll,
    show: ({ accuracyOfAll }) => formatShare(accuracyOfAll),
  },
  {
    title: "Score",
    hint: "mean score of the answers that have one",
    isNumber: true,
    isShown: (all) => all.some(({ meanScore }) => meanScore !== null),
    rank: ({ meanScore }) => meanScore,
    show: ({ meanScore }) => (meanScore === null ? "–" : meanScore.toFixed(2)),
  },
  {
    title: "Correct",
    isNumber: true,
    rank: ({ correct }) => correct,
    show: ({ correct, finished }) => `${correct}/${finished}`,
  },
  { title: "Failed", rank: ({ failed }) => -failed, show: (stats) => <Failures stats={stats} /> },
  {
    title: "Tokens in/out",
    isNumber: true,
    rank: ({ inputTokens, outputTokens }) => -(inputTokens + outputTokens),
    show: ({ inputTokens, outputTokens }) => `${formatCount(inputTokens)}/${formatCount(outputTokens)}`,
  },
  {
    title: "Cost",
    isNumber: true,
    rank: ({ costUsd }) => (costUsd === null ? null : -costUsd),
    show: ({ costUsd, runsWithUnknownCost }) => formatCost(costUsd, runsWithUnknownCost),
  },
  {
    title: "per solved",
    hint: "cost / correct runs",
    isNumber: true,
    rank: (stats) => negative(costPerSolved(stats)?.usd ?? null),
    show: (stats) =>
      stats.correct === 0 ? "–" : formatCost(costPerSolved(stats)?.usd ?? null, stats.runsWithUnknownCost),
  },
  {
    title: "p50",
    hint: "half of the runs took less",
    isNumber: true,
    rank: ({ p50RuntimeSeconds }) => negative(p50RuntimeSeconds),
    show: ({ p50RuntimeSeconds }) => seconds(p50RuntimeSeconds),
  },
  {
    title: "p95",
    hint: "19 of 20 runs took less",
    isNumber: true,
    rank: ({ p95RuntimeSeconds }) => negative(p95RuntimeSeconds),
    show: ({ p95RuntimeSeconds }) => seconds(p95RuntimeSeconds),
  },
];

const negative = (value: number | null): number | null => (value === null ? null : -value);
const seconds = (value: number | null): string => (value === null ? "–" : formatDuration(value));

interface LeaderboardProps {
  readonly stats: StatsByModel;
  /** Better intervals than a single share allows, once they are counted. */
  readonly findings: Findings | null;
}

/** The models of one evaluation, best first, by whatever column the reader chooses. */
export function Leaderboard({ stats, findings }: LeaderboardProps) {
  const [title, setTitle] = useState("Accuracy");
  const chosen = COLUMNS.find((column) => column.title === title) ?? COLUMNS[0];
  const models = Object.entries<ModelStats>(stats).sort(
    ([, a], [, b]) => (chosen?.rank(b) ?? -Infinity) - (chosen?.rank(a) ?? -Infinity),
  );
  const all = models.map(([, of]) => of);
  const columns = COLUMNS.filter(({ isShown }) => isShown?.(all) ?? true);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys.
    <div className="scroll-x" role="region" aria-label="Leaderboard" tabIndex={0}>
      <table className="leaderboard">
        <thead>
          <tr>
            <th scope="col">Model</th>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={column.isNumber ? "number" : undefined}
                aria-sort={column.title === title ? "descending" : undefined}
              >
                <button type="button" title={column.hint} onClick={() => setTitle(column.title)}>
                  {column.title}
                  {column.title === title ? " ▾" : ""}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map(([model, of]) => (
            <tr key={model}>
              <th scope="row" className="name">
                {plainText(model)}
              </th>
              {columns.map((column) => (
                <td key={column.title} className={column.isNumber ? "number" : undefined}>
                  {column.show(of, findings?.models[model]?.accuracy ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface AccuracyProps {
  readonly stats: ModelStats;
  readonly interval: Interval | null;
}

function Accuracy({ stats: { accuracy, scored, failuresByFault }, interval }: AccuracyProps) {
  if (accuracy === null) return <>–</>;
  const { low, high } = interval ?? wilsonInterval(accuracy, scored + failuresByFault.model);
  return (
    <div className="with-interval">
      <strong>{formatShare(accuracy)}</strong>{" "}
      <span className="quiet small">
        {formatShare(low)} – {formatShare(high)}
      </span>
      <IntervalBar value={accuracy} low={low} high={high} />
    </div>
  );
}

function Failures({ stats: { failed, failuresByCause } }: { readonly stats: ModelStats }) {
  if (failed === 0) return <>0</>;
  return (
    <>
      {failed}{" "}
      <span className="quiet small">
        {Object.entries(failuresByCause)
          .map(([cause, count]) => `${count} ${cause}`)
          .join(", ")}
      </span>
    </>
  );
}

/** A share and its interval on a line from 0 to 1; the numbers stand beside it. */
function IntervalBar({
  value,
  low,
  high,
}: {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}) {
  return (
    <div className="interval" aria-hidden="true">
      <span className="range" style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
      <span className="point" style={{ left: `${value * 100}%` }} />
    </div>
  );
}
