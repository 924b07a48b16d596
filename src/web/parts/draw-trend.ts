import { wilsonInterval } from "../../domain/statistics/wilson.ts";
import { plainText } from "../data/plain-text.ts";
import type { TrendPoint, TrendStats } from "../data/source.ts";

export interface TrendLine {
  readonly model: string;
  readonly at: string;
  readonly accuracy: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly cost: number | null;
}

/** One dot per model and evaluation, oldest first. */
export const trendLines = (points: readonly TrendPoint[]): TrendLine[] =>
  points.flatMap(({ startedAt, models }) =>
    Object.entries<TrendStats>(models).map(([model, of]) => ({
      model: plainText(model),
      at: startedAt,
      ...numbersOf(of),
    })),
  );

function numbersOf(stats: TrendStats) {
  const { accuracy, scored, failuresByFault, costUsd, finished, runsWithUnknownCost } = stats;
  const priced = finished - runsWithUnknownCost;
  const cost = costUsd === null || priced === 0 ? null : costUsd / priced;
  if (accuracy === null) return { accuracy, low: null, high: null, cost };
  const { low, high } = wilsonInterval(accuracy, scored + failuresByFault.model);
  return { accuracy: accuracy * 100, low: low * 100, high: high * 100, cost };
}

export async function drawTrend(
  lines: readonly TrendLine[],
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
