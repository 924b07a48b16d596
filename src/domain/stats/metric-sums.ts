import * as z from "zod";
import type { Metrics } from "../run/amounts.ts";

/** Sums of further numbers that checkers gave, by name: in whole millionths, and of how many runs. */
export type MetricSums = Map<string, { readonly micros: number; readonly runs: number }>;

/** Adds what one run's checker gave. */
export function addMetrics(sums: MetricSums, metrics: Metrics = {}): void {
  for (const [name, value] of Object.entries(metrics)) add(sums, name, Math.round(value * 1e6), 1);
}

/** Adds the sums of a part. */
export function mergeMetrics(into: MetricSums, part: MetricSums): void {
  for (const [name, { micros, runs }] of part) add(into, name, micros, runs);
}

function add(sums: MetricSums, name: string, micros: number, runs: number): void {
  const before = sums.get(name) ?? { micros: 0, runs: 0 };
  sums.set(name, { micros: before.micros + micros, runs: before.runs + runs });
}

/** Means of further numbers, by name; an older release has none. */
export const MetricMeans = z
  .record(z.string(), z.object({ mean: z.number(), runs: z.int().nonnegative() }).readonly())
  .default({})
  .readonly();
type MetricMeans = z.infer<typeof MetricMeans>;

/** Divides the sums, in the order of their names. */
export const metricMeans = (sums: MetricSums): MetricMeans =>
  Object.fromEntries(
    [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { micros, runs }]) => [name, { mean: micros / runs / 1e6, runs }]),
  );
