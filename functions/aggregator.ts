import { Metrics } from "@aws-lambda-powertools/metrics";
import { SNSClient } from "@aws-sdk/client-sns";
import { Resource } from "sst/resource";
import { deployedStore } from "../src/deployed-store.ts";
import { METRICS_SERVICE } from "../src/domain/cloud-metrics.ts";
import { AggregatorSettings } from "../src/domain/cloud-settings.ts";
import { foldOrTell } from "../src/engine/cloud/fold-or-tell.ts";
import { publishEnds } from "../src/engine/cloud/publish-run.ts";
import { topicSender } from "../src/engine/cloud/topic-sender.ts";
import { systemClock as clock } from "../src/engine/system-clock.ts";
import { webhookSender } from "../src/engine/webhook-sender.ts";
import { linkedVariables } from "../src/linked-variables.ts";

const settings = AggregatorSettings.parse(process.env);
const metrics = new Metrics({ namespace: settings.METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const topic = topicSender(new SNSClient(), settings.DRIFT_TOPIC);
const hooks = { variables: linkedVariables(settings.ALARM_VARIABLES, { ...Resource }), sleep: clock.sleep };
const parts: Parameters<typeof foldOrTell>[0] = {
  ...{ store: deployedStore(settings), clock, warn: (message) => console.warn(message) },
  onLost: (entries) => publishEnds(metrics, entries),
  sendersFor: (variable) =>
    variable === undefined ? [topic] : [topic, webhookSender({ ...hooks, variable })],
};

export const handler = (event: unknown): ReturnType<typeof foldOrTell> => foldOrTell(parts, event);
