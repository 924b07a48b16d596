import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback } from "react";
import { formatTime } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import { wilsonInterval } from "../../statistics/shares.ts";
import { useTitle } from "../data/browser.ts";
import { costPerRun, plainText, totalCost } from "../data/display.ts";
import { type TrendPoint, useSource } from "../data/source.ts";
import { Chart } from "../parts/chart.tsx";
import { ShowQuery } from "../parts/crash.tsx";
import { AccuracyBars, ColumnHeads } from "../parts/marks.tsx";

const route = getRouteApi("/definitions/$name");

/** Shows accuracy and cost of one definition's models over time. */
export function TrendPage() {
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
      <ShowQuery query={query}>{(points) => <Trend name={name} points={points} />}</ShowQuery>
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
        {totalCost(models)}
      </td>
    </tr>
  );
}

/** Makes one dot per model and evaluation, oldest first. */
const trendLines = (points: readonly TrendPoint[]) =>
  points.flatMap(({ startedAt, models }) =>
    Object.entries<TrendPoint["models"][ModelKey]>(models).map(([model, of]) => ({
      model: plainText(model),
      at: startedAt,
      cost: costPerRun(of),
      ...percentOf(of),
    })),
  );

function percentOf({ accuracy, scored, failuresByFault }: TrendPoint["models"][ModelKey]) {
  if (accuracy === null) return { accuracy, low: null, high: null };
  const { low, high } = wilsonInterval(accuracy, scored + failuresByFault.model);
  return { accuracy: accuracy * 100, low: low * 100, high: high * 100 };
}

async function drawTrend(
  lines: ReturnType<typeof trendLines>,
  what: "accuracy" | "cost",
  width: number,
): Promise<Element> {
  const Plot = await import("@observablehq/plot");
  const data = lines.map((line) => ({ ...line, at: new Date(line.at) }));
  const place = { x: "at", y: what, stroke: "model" } as const;
  return Plot.plot({
    className: "plot",
    width,
    height: 280,
    marginLeft: 52,
    marginRight: 16,
    insetLeft: 10,
    insetRight: 10,
    x: { type: "time", label: null },
    y:
      what === "accuracy"
        ? { label: "Accuracy (%)", domain: [0, 100], grid: true }
        : { label: "Cost per run ($)", grid: true, zero: true },
    // Okabe and Ito's colours; symbols tell the models apart without them.
    color: { range: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"] },
    symbol: { legend: true },
    marks: [
      ...(what === "accuracy"
        ? [Plot.ruleX(data, { x: "at", y1: "low", y2: "high", stroke: "model", strokeOpacity: 0.45 })]
        : []),
      Plot.line(data, { ...place, strokeWidth: 1.5 }),
      Plot.dot(data, { ...place, symbol: "model", fill: "model", r: 3.5 }),
    ],
  });
}
