import { useCallback } from "react";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { wilsonInterval } from "../../statistics/shares.ts";
import { costPerRun, plainText } from "../data/display.ts";
import type { StatsByModel } from "../data/source.ts";
import { Chart } from "../parts/chart.tsx";

interface Point {
  readonly model: string;
  readonly accuracy: number;
  readonly cost: number;
  readonly low: number;
  readonly high: number;
}

/** Draws accuracy against cost per run: up and to the left is better. */
export function CostScatter({ stats, name }: { readonly stats: StatsByModel; readonly name: string }) {
  const points = Object.entries<ModelStats>(stats).flatMap(toPoint);
  const key = JSON.stringify(points);
  const draw = useCallback((width: number) => drawScatter(JSON.parse(key) as Point[], width), [key]);
  if (points.length === 0) return <p className="empty">No model has both an accuracy and a known price.</p>;
  return (
    <Chart
      name={`${name}-accuracy-cost`}
      draw={draw}
      words="Accuracy against cost per run, with 95% intervals"
    />
  );
}

function toPoint([model, stats]: [string, ModelStats]): Point[] {
  const { accuracy, scored, failuresByFault } = stats;
  const cost = costPerRun(stats);
  if (accuracy === null || cost === null) return [];
  const { low, high } = wilsonInterval(accuracy, scored + failuresByFault.model);
  return [{ model: plainText(model), accuracy, cost, low, high }];
}

async function drawScatter(points: readonly Point[], width: number): Promise<Element> {
  const Plot = await import("@observablehq/plot");
  const middle = Math.max(...points.map(({ cost }) => cost)) / 2;
  const label = (side: readonly Point[], textAnchor: "start" | "end", dx: number) =>
    Plot.text(side, { x: "cost", y: ({ accuracy }: Point) => accuracy * 100, text: "model", textAnchor, dx });
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
        y1: ({ low }: Point) => low * 100,
        y2: ({ high }: Point) => high * 100,
        stroke: "var(--right)",
        strokeWidth: 2,
        strokeOpacity: 0.5,
      }),
      Plot.dot(points, {
        x: "cost",
        y: ({ accuracy }: Point) => accuracy * 100,
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
