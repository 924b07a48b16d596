import { type ReactNode, useState } from "react";
import type { Estimate } from "../../domain/stats/estimate.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import {
  howFarStopped,
  LEADERBOARD,
  type LeaderboardName,
  type LeaderboardRow,
  metricColumns,
} from "../../statistics/leaderboard-columns.ts";
import { accuracyOf, plainText } from "../data/display.ts";
import type { Findings } from "../data/findings.ts";
import type { StatsByModel } from "../data/source.ts";
import { ShareText } from "../parts/marks.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";

/** The page shows all columns but these two: the rate stands beside the count, the runs above the table. */
const COLUMNS = (Object.keys(LEADERBOARD) as LeaderboardName[]).filter(
  (name) => name !== "failureRate" && name !== "runs",
);

/** Cells that are more than a text. */
const CELLS: Partial<Record<LeaderboardName, (row: ModelRow) => ReactNode>> = {
  accuracy: (row) =>
    howFarStopped(row.stats) ?? (
      <Accuracy estimate={row.report?.accuracy ?? accuracyOf(row.stats, row.trials)} />
    ),
  failed: ({ stats }) => <Failures stats={stats} />,
};

interface LeaderboardProps {
  readonly stats: StatsByModel;
  readonly trials: number;
  /** Has narrower intervals than the stats allow; null until it is computed, and while runs are still to come. */
  readonly findings: Findings | null;
}

interface ModelRow extends LeaderboardRow {
  readonly model: string;
  readonly trials: number;
}

/** Shows the models of one evaluation, sorted by the column that the reader chooses. */
export function Leaderboard({ stats, trials, findings }: LeaderboardProps) {
  const [sortedBy, setSortedBy] = useState<string>(LEADERBOARD.accuracy.title);
  const rows = Object.entries<ModelStats>(stats).map(([model, of]) => ({
    model,
    trials,
    stats: of,
    report: findings?.models[model] ?? null,
  }));
  const hasScores = rows.some((row) => row.stats.meanScore !== null);
  const columns: TableColumn<ModelRow>[] = COLUMNS.filter((name) => name !== "score" || hasScores).map(
    (name) => ({
      ...LEADERBOARD[name],
      cell: (row) => CELLS[name]?.(row) ?? LEADERBOARD[name].text({ ...row, report: null }),
      isNumber: !(name in CELLS),
    }),
  );
  const metrics = metricColumns(rows.map((row) => row.stats)).map((column) => ({
    ...column,
    cell: column.text,
    isNumber: true,
  }));
  return (
    <Table
      name="Leaderboard"
      className="wide"
      rows={rows}
      keyOf={({ model }) => model}
      columns={[{ title: "Model", cell: ({ model }) => plainText(model) }, ...columns, ...metrics]}
      sortedBy={sortedBy}
      onSort={setSortedBy}
    />
  );
}

function Accuracy({ estimate }: { readonly estimate: Estimate | null }) {
  if (estimate === null) return <>–</>;
  const { value, low, high } = estimate;
  return (
    <div className="with-interval">
      <ShareText estimate={estimate} />
      <div className="interval" aria-hidden="true">
        <span className="range" style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
        <span className="point" style={{ left: `${value * 100}%` }} />
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
