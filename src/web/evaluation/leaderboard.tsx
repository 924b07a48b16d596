import { type ReactNode, useState } from "react";
import { formatShare } from "../../domain/format.ts";
import type { Interval } from "../../domain/stats/estimate.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import {
  LEADERBOARD,
  type LeaderboardName,
  type LeaderboardRow,
} from "../../statistics/leaderboard-columns.ts";
import { wilsonInterval } from "../../statistics/shares.ts";
import { plainText } from "../data/display.ts";
import type { Findings } from "../data/findings.ts";
import type { StatsByModel } from "../data/source.ts";

/** The page shows all columns but these two: the rate stands beside the count, the runs above the table. */
const COLUMNS = (Object.keys(LEADERBOARD) as LeaderboardName[]).filter(
  (name) => name !== "failureRate" && name !== "runs",
);

/** Cells that are more than a text. */
const CELLS: Partial<Record<LeaderboardName, (row: LeaderboardRow) => ReactNode>> = {
  accuracy: ({ stats, report }) => <Accuracy stats={stats} interval={report?.accuracy ?? null} />,
  failed: ({ stats }) => <Failures stats={stats} />,
};

interface LeaderboardProps {
  readonly stats: StatsByModel;
  /** Has better intervals than a single share allows, once it is computed. */
  readonly findings: Findings | null;
}

/** Shows the models of one evaluation, sorted by the column that the reader chooses. */
export function Leaderboard({ stats, findings }: LeaderboardProps) {
  const [chosen, setChosen] = useState<LeaderboardName>("accuracy");
  const { rank } = LEADERBOARD[chosen];
  const rows = Object.entries<ModelStats>(stats)
    .map(([model, of]) => ({ model, stats: of, report: findings?.models[model] ?? null }))
    .sort((a, b) => (rank(b) ?? -Infinity) - (rank(a) ?? -Infinity));
  const hasScores = rows.some((row) => row.stats.meanScore !== null);
  const columns = COLUMNS.filter((name) => name !== "score" || hasScores);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys.
    <div className="scroll-x" role="region" aria-label="Leaderboard" tabIndex={0}>
      <table className="leaderboard">
        <thead>
          <tr>
            <th scope="col">Model</th>
            {columns.map((name) => (
              <th
                key={name}
                scope="col"
                className={name in CELLS ? undefined : "number"}
                aria-sort={name === chosen ? "descending" : undefined}
              >
                <button type="button" title={LEADERBOARD[name].hint} onClick={() => setChosen(name)}>
                  {LEADERBOARD[name].title}
                  {name === chosen ? " ▾" : ""}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.model}>
              <th scope="row" className="name">
                {plainText(row.model)}
              </th>
              {columns.map((name) => (
                <td key={name} className={name in CELLS ? undefined : "number"}>
                  {CELLS[name]?.(row) ?? LEADERBOARD[name].text({ ...row, report: null })}
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
      <div className="interval" aria-hidden="true">
        <span className="range" style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
        <span className="point" style={{ left: `${accuracy * 100}%` }} />
      </div>
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
