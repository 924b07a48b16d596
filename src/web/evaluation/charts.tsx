import type { ModelStats } from "../../domain/stats/stats.ts";
import { accuracyPercents, costPerRun, plainText } from "../data/display.ts";
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
  const percents = accuracyPercents(stats);
  const cost = costPerRun(stats);
  return percents === null || cost === null ? [] : [{ model: plainText(model), cost, ...percents }];
}

type Points = ReturnType<typeof toPoint>;

async function drawScatter(points: Points, width: number): Promise<Element> {
  const Plot = await import("@observablehq/plot");
  const middle = Math.max(...points.map(({ cost }) => cost)) / 2;
  // Names are on the side where there is room.
  const left = points.filter(({ cost }) => cost <= middle);
  const right = points.filter(({ cost }) => cost > middle);
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
      Plot.dot(points, { x: "cost", y: "accuracy", r: 5, fill: "var(--right)" }),
      label(left, "start", 9),
      label(right, "end", -9),
    ],
  });
}
