import type { Estimate } from "../../domain/stats/estimate.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { accuracyOf, accuracyPercents, costPerRun, plainText } from "../data/display.ts";
import type { Findings } from "../data/findings.ts";
import type { StatsByModel } from "../data/source.ts";
import { Chart } from "../parts/chart.tsx";

interface CostScatterProps {
  readonly stats: StatsByModel;
  readonly trials: number;
  /** As for the leaderboard, whose intervals these are. */
  readonly findings: Findings | null;
  readonly name: string;
}

/** Draws accuracy against cost per run: up and to the left is better. */
export function CostScatter({ stats, trials, findings, name }: CostScatterProps) {
  const points = Object.entries<ModelStats>(stats).flatMap(([model, of]) =>
    toPoint(model, of, findings?.models[model]?.accuracy ?? accuracyOf(of, trials)),
  );
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

function toPoint(model: string, stats: ModelStats, shown: Estimate | null) {
  const percents = accuracyPercents(shown);
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
