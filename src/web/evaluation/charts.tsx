import type { ModelStats } from "../../domain/stats/stats.ts";
import { accuracyOf, costPerRun, plainText } from "../data/display.ts";
import type { StatsByModel } from "../data/source.ts";
import { Chart } from "../parts/chart.tsx";

/** Draws accuracy against cost per run: up and to the left is better. */
export function CostScatter({ stats, name }: { readonly stats: StatsByModel; readonly name: string }) {
  const points = Object.entries<ModelStats>(stats).flatMap(toPoint);
  if (points.length === 0) return <p className="empty">No model has both an accuracy and a known price.</p>;
  return (
    <Chart
      name={`${name}-accuracy-cost`}
      data={points}
      draw={drawScatter}
      words="Accuracy against cost per run, with 95% intervals"
    />
  );
}

function toPoint([model, stats]: [string, ModelStats]) {
  const accuracy = accuracyOf(stats);
  const cost = costPerRun(stats);
  if (accuracy === null || cost === null) return [];
  const percents = { accuracy: accuracy.value * 100, low: accuracy.low * 100, high: accuracy.high * 100 };
  return [{ model: plainText(model), cost, ...percents }];
}

type Points = ReturnType<typeof toPoint>;

async function drawScatter(points: Points, width: number): Promise<Element> {
  const Plot = await import("@observablehq/plot");
  const middle = Math.max(...points.map(({ cost }) => cost)) / 2;
  const label = (side: Points, textAnchor: "start" | "end", dx: number) =>
    Plot.text(side, { x: "cost", y: "accuracy", text: "model", textAnchor, dx });
  return Plot.plot({
    className: "plot",
    width,
    height: 300,
    marginLeft: 50,
    marginRight: 24,
    x: { label: "Cost per run ($)", grid: true, zero: true, nice: true },
    y: { label: "Accuracy (%)", domain: [0, 100], grid: true },
    marks: [
      Plot.ruleX(points, {
        x: "cost",
        y1: "low",
        y2: "high",
        stroke: "var(--right)",
        strokeWidth: 2,
        strokeOpacity: 0.5,
      }),
      Plot.dot(points, {
        x: "cost",
        y: "accuracy",
        r: 5,
        fill: "var(--right)",
      }),
      // Names are on the side where there is room.
      label(
        points.filter(({ cost }) => cost <= middle),
        "start",
        9,
      ),
      label(
        points.filter(({ cost }) => cost > middle),
        "end",
        -9,
      ),
    ],
  });
}
