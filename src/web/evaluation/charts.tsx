import { useCallback } from "react";
import { formatShare } from "../../domain/format.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { wilsonInterval } from "../../statistics/shares.ts";
import { plainText } from "../data/plain-text.ts";
import type { StatsByModel } from "../data/source.ts";
import { Chart } from "../parts/chart.tsx";

interface Point {
  readonly model: string;
  readonly accuracy: number;
  readonly cost: number;
  readonly low: number;
  readonly high: number;
}

/** Accuracy against cost per run: up and to the left is better. */
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
  const { accuracy, costUsd, finished, scored, failuresByFault, runsWithUnknownCost } = stats;
  const priced = finished - runsWithUnknownCost;
  if (accuracy === null || costUsd === null || priced === 0) return [];
  const { low, high } = wilsonInterval(accuracy, scored + failuresByFault.model);
  return [{ model: plainText(model), accuracy, cost: costUsd / priced, low, high }];
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
      // Names stand on the side where there is room.
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

type Accuracies = Readonly<Record<string, Pick<ModelStats, "accuracy">>>;

const SHOWN = 4;

/** The accuracy of each model as a small bar, best first. */
export function AccuracyBars({ stats }: { readonly stats: Accuracies }) {
  const models = Object.entries(stats).sort(([, a], [, b]) => (b.accuracy ?? -1) - (a.accuracy ?? -1));
  return (
    <div>
      {models.slice(0, SHOWN).map(([model, { accuracy }]) => (
        <div className="accuracy" key={model}>
          <span className="model" title={model}>
            {plainText(model)}
          </span>
          <span className="track" aria-hidden="true">
            <span className="fill" style={{ width: `${(accuracy ?? 0) * 100}%` }} />
          </span>
          <span>{formatShare(accuracy)}</span>
        </div>
      ))}
      {models.length > SHOWN ? <span className="small quiet">and {models.length - SHOWN} more</span> : null}
    </div>
  );
}
