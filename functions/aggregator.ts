import { Metrics } from "@aws-lambda-powertools/metrics";
import { SNSClient } from "@aws-sdk/client-sns";
import { Resource } from "sst/resource";
import { deployedStore, linkedVariables } from "../src/deploy/parts.ts";
import { AggregatorSettings, METRICS_SERVICE } from "../src/domain/cloud/settings.ts";
import { foldOrTell } from "../src/engine/cloud/aggregate.ts";
import { publishEnds, publishRunning, topicSender } from "../src/engine/cloud/publish.ts";
import { webhookSender } from "../src/engine/drift.ts";
import { systemClock as clock } from "../src/system/clock.ts";

const settings = AggregatorSettings.parse(process.env);
const metrics = new Metrics({ namespace: settings.METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const topic = topicSender(new SNSClient(), settings.DRIFT_TOPIC);
const hooks = { variables: linkedVariables(settings.ALARM_VARIABLES, { ...Resource }), sleep: clock.sleep };
const parts: Parameters<typeof foldOrTell>[0] = {
  store: deployedStore(settings),
  clock,
  warn: (message) => console.warn(message),
  onLost: (entries) => publishEnds(metrics, entries),
  onRunning: (evaluations) => publishRunning(metrics, evaluations),
  sendersFor: (variable) =>
    variable === undefined ? [topic] : [topic, webhookSender({ ...hooks, variable })],
};

export const handler = (event: unknown): ReturnType<typeof foldOrTell> => foldOrTell(parts, event);
