import { type Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { CAUSE_DIMENSION, METRICS } from "../../domain/cloud-metrics.ts";
import type { LogEntry } from "../../domain/log-entry.ts";

/** Tells CloudWatch of a run that ended, by lines in the function's own log. */
export function publishRun(metrics: Metrics, entry: LogEntry): void {
  const { failure, usage, costUsd } = entry;
  const count = (name: string, value: number) => metrics.addMetric(name, MetricUnit.Count, value);
  count(METRICS.runs, 1);
  count(METRICS.infrastructureFailures, failure?.fault === "infrastructure" ? 1 : 0);
  count(METRICS.budgetStops, failure?.cause === "budget" ? 1 : 0);
  metrics.addMetric(METRICS.durationMs, MetricUnit.Milliseconds, Math.round(entry.runtimeSeconds * 1_000));
  // What is not known is not 0.
  if (usage !== null) {
    count(METRICS.inputTokens, usage.inputTokens);
    count(METRICS.outputTokens, usage.outputTokens);
  }
  if (costUsd !== null) metrics.addMetric(METRICS.costUsd, MetricUnit.NoUnit, costUsd);
  metrics.publishStoredMetrics();
  if (failure === null) return;
  const byCause = metrics.singleMetric();
  byCause.addDimension(CAUSE_DIMENSION, failure.cause);
  byCause.addMetric(METRICS.failures, MetricUnit.Count, 1);
}
