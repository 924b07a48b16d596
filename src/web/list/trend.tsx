import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ModelKey } from "../../domain/model.ts";
import { useTitle } from "../data/browser.ts";
import { accuracyOf, accuracyPercents, costPerRun, plainText } from "../data/display.ts";
import { type TrendPoint, useSource } from "../data/source.ts";
import { Chart } from "../parts/chart.tsx";
import { ShowQuery } from "../parts/crash.tsx";
import { Table, type TableColumn } from "../parts/table.tsx";
import { ACCURACY, COST, STARTED } from "./page.tsx";

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
  if (points.length === 0) return <p className="empty">No evaluation of this name has ended yet.</p>;
  const lines = points.flatMap(toLines);
  return (
    <>
      <div className="halves">
        <section className="card">
          <h2>Accuracy</h2>
          <Chart
            name={`${name}-accuracy`}
            data={lines}
            draw={drawAccuracy}
            words="Accuracy per model, with 95% intervals"
          />
        </section>
        <section className="card">
          <h2>Cost</h2>
          <Chart
            name={`${name}-cost`}
            data={lines}
            draw={drawCost}
            words="Dollars per run and model, where known"
          />
        </section>
      </div>
      <div className="card">
        <Table
          name="Evaluations"
          className="cards"
          rows={points.toReversed()}
          keyOf={({ id }) => id}
          columns={[EVALUATION, STARTED, ACCURACY, COST]}
        />
      </div>
    </>
  );
}

const EVALUATION: TableColumn<TrendPoint> = {
  title: "Evaluation",
  cell: ({ id }) => (
    <Link to="/evaluations/$id" params={{ id }}>
      {id}
    </Link>
  ),
};

/** Makes one dot per model. */
const toLines = ({ startedAt, trials, stats }: TrendPoint) =>
  Object.entries<TrendPoint["stats"][ModelKey]>(stats).map(([model, of]) => {
    const percents = accuracyPercents(accuracyOf(of, trials)) ?? { accuracy: null, low: null, high: null };
    return { model: plainText(model), at: startedAt, cost: costPerRun(of), ...percents };
  });

type Lines = ReturnType<typeof toLines>;

const drawAccuracy = (lines: Lines, width: number) => drawTrend(lines, "accuracy", width);
const drawCost = (lines: Lines, width: number) => drawTrend(lines, "cost", width);

async function drawTrend(lines: Lines, what: "accuracy" | "cost", width: number): Promise<Element> {
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
