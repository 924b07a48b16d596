import { type Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { PublishCommand, type SNSClient } from "@aws-sdk/client-sns";
import { CAUSE_DIMENSION, METRICS } from "../../domain/cloud/settings.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { SendAlarm } from "../drift.ts";

/** Tells CloudWatch of a run that ended, by lines in the function's own log. */
export function publishRun(metrics: Metrics, entry: LogEntry): void {
  const { usage, costUsd } = entry;
  metrics.addMetric(METRICS.durationMs, MetricUnit.Milliseconds, Math.round(entry.runtimeSeconds * 1_000));
  // What is not known is not 0.
  if (usage !== null) {
    metrics.addMetric(METRICS.inputTokens, MetricUnit.Count, usage.inputTokens);
    metrics.addMetric(METRICS.outputTokens, MetricUnit.Count, usage.outputTokens);
  }
  if (costUsd !== null) metrics.addMetric(METRICS.costUsd, MetricUnit.NoUnit, costUsd);
  publishEnds(metrics, [entry]);
}

/** Publishes how many runs ended, and the causes of those that failed. */
export function publishEnds(metrics: Metrics, entries: readonly Pick<LogEntry, "failure">[]): void {
  const failures = entries.flatMap(({ failure }) => failure ?? []);
  const ofInfrastructure = failures.filter(({ fault }) => fault === "infrastructure");
  const ofBudget = failures.filter(({ cause }) => cause === "budget");
  metrics.addMetric(METRICS.runs, MetricUnit.Count, entries.length);
  metrics.addMetric(METRICS.infrastructureFailures, MetricUnit.Count, ofInfrastructure.length);
  metrics.addMetric(METRICS.budgetStops, MetricUnit.Count, ofBudget.length);
  metrics.publishStoredMetrics();
  for (const [cause, some] of Map.groupBy(failures, ({ cause }) => cause)) {
    const byCause = metrics.singleMetric();
    byCause.addDimension(CAUSE_DIMENSION, cause);
    byCause.addMetric(METRICS.failures, MetricUnit.Count, some.length);
  }
}

/** Publishes how many evaluations are running; 0 too, so that an alarm knows that they are counted. */
export function publishRunning(metrics: Metrics, evaluations: number): void {
  metrics.addMetric(METRICS.running, MetricUnit.Count, evaluations);
  metrics.publishStoredMetrics();
}

/** What an e-mail's subject may be at most. */
const LONGEST_SUBJECT = 100;

/** Publishes to a topic, whose subscribers hear of it by e-mail, chat or HTTPS. */
export const topicSender =
  (client: SNSClient, topic: string): SendAlarm =>
  async (alarm) => {
    const Subject = `${alarm.name} got worse`.replace(/[^\x20-\x7e]/g, "?").slice(0, LONGEST_SUBJECT);
    try {
      await client.send(new PublishCommand({ TopicArn: topic, Subject, Message: JSON.stringify(alarm) }));
      return null;
    } catch (error) {
      const why = error instanceof Error ? error.name : "no answer";
      return `the alarm could not be sent to the topic ${topic} (${why}); it may have reached nobody`;
    }
  };
