import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { formatCost } from "../../domain/show/format-cost.ts";
import { formatTime } from "../../domain/show/format-time.ts";
import type { TrendPoint } from "../data/source.ts";
import { useSource } from "../data/source-context.tsx";
import { totalCost } from "../data/total-cost.ts";
import { useTitle } from "../data/use-title.ts";
import { AccuracyBars } from "../parts/accuracy-bars.tsx";
import { Asked } from "../parts/asked.tsx";
import { Chart } from "../parts/chart.tsx";
import { ColumnHeads } from "../parts/column-heads.tsx";
import { drawTrend, trendLines } from "../parts/draw-trend.ts";

const route = getRouteApi("/definitions/$name");

/** How the models of one definition did over time. */
export function DefinitionPage() {
  const { name } = route.useParams();
  useTitle(name);
  const source = useSource();
  const query = useQuery({
    queryKey: ["trend", name],
    queryFn: ({ signal }) => source.trend(name, signal),
    refetchInterval: 30_000,
  });
  return (
    <>
      <h1>{name} over time</h1>
      <Asked query={query}>{(points) => <Trend name={name} points={points} />}</Asked>
    </>
  );
}

function Trend({ name, points }: { readonly name: string; readonly points: readonly TrendPoint[] }) {
  const lines = JSON.stringify(trendLines(points));
  const accuracy = useCallback((width: number) => drawTrend(JSON.parse(lines), "accuracy", width), [lines]);
  const cost = useCallback((width: number) => drawTrend(JSON.parse(lines), "cost", width), [lines]);
  if (points.length === 0) return <p className="empty">No evaluation of this name has ended yet.</p>;
  return (
    <>
      <div className="halves">
        <section className="card">
          <h2>Accuracy</h2>
          <Chart name={`${name}-accuracy`} draw={accuracy} words="Accuracy per model, with 95% intervals" />
        </section>
        <section className="card">
          <h2>Cost</h2>
          <Chart name={`${name}-cost`} draw={cost} words="Dollars per run and model, where known" />
        </section>
      </div>
      <div className="card scroll-x">
        <table className="rows">
          <ColumnHeads names={["Evaluation", "Started", "Accuracy", "Cost"]} numbers={["Cost"]} />
          <tbody>
            {points.toReversed().map((point) => (
              <TrendRow key={point.id} point={point} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function TrendRow({ point: { id, startedAt, models } }: { readonly point: TrendPoint }) {
  const { costUsd, runsWithUnknownCost } = totalCost(models);
  return (
    <tr>
      <td>
        <Link to="/evaluations/$id" params={{ id }}>
          {id}
        </Link>
      </td>
      <td className="small" data-title="Started">
        {formatTime(startedAt)}
      </td>
      <td>
        <AccuracyBars stats={models} />
      </td>
      <td className="number" data-title="Cost">
        {formatCost(costUsd, runsWithUnknownCost)}
      </td>
    </tr>
  );
}
