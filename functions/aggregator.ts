import { Metrics } from "@aws-lambda-powertools/metrics";
import { SNSClient } from "@aws-sdk/client-sns";
import { deployedStore } from "../src/deployed-store.ts";
import { METRICS_SERVICE } from "../src/domain/cloud-metrics.ts";
import { AggregatorSettings } from "../src/domain/cloud-settings.ts";
import type { EvaluationRecord } from "../src/domain/evaluation.ts";
import { aggregate } from "../src/engine/cloud/aggregate.ts";
import type { AggregateAnswer } from "../src/engine/cloud/events.ts";
import { publishEnds } from "../src/engine/cloud/publish-run.ts";
import { topicSender } from "../src/engine/cloud/topic-sender.ts";
import { systemClock } from "../src/engine/system-clock.ts";
import { tellDrift } from "../src/engine/tell-drift.ts";

const settings = AggregatorSettings.parse(process.env);
const store = deployedStore(settings);
const metrics = new Metrics({ namespace: settings.METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const senders = [topicSender(new SNSClient(), settings.DRIFT_TOPIC)];

async function onEnd(record: EvaluationRecord): Promise<void> {
  const { drift, status } = record;
  if (drift === undefined || status !== "finished") return;
  await tellDrift({ store, drift, senders, warn: (message) => console.warn(message) }, record);
}

export const handler = (event: unknown): Promise<AggregateAnswer> =>
  aggregate({ store, clock: systemClock, onLost: (entries) => publishEnds(metrics, entries), onEnd }, event);
