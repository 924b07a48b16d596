import { Metrics } from "@aws-lambda-powertools/metrics";
import { SNSClient } from "@aws-sdk/client-sns";
import { Resource } from "sst/resource";
import { deployedStore } from "../src/deployed-store.ts";
import { METRICS_SERVICE } from "../src/domain/cloud-metrics.ts";
import { AggregatorSettings } from "../src/domain/cloud-settings.ts";
import { aggregate } from "../src/engine/cloud/aggregate.ts";
import { type AggregateAnswer, AlarmEvent } from "../src/engine/cloud/events.ts";
import { publishEnds } from "../src/engine/cloud/publish-run.ts";
import { raiseAlarm } from "../src/engine/cloud/raise-alarm.ts";
import { topicSender } from "../src/engine/cloud/topic-sender.ts";
import { systemClock } from "../src/engine/system-clock.ts";
import { webhookSender } from "../src/engine/webhook-sender.ts";
import { linkedVariables } from "../src/linked-variables.ts";

const settings = AggregatorSettings.parse(process.env);
const store = deployedStore(settings);
const metrics = new Metrics({ namespace: settings.METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const topic = topicSender(new SNSClient(), settings.DRIFT_TOPIC);
const variables = linkedVariables(settings.ALARM_VARIABLES, { ...Resource });
const { sleep } = systemClock;

const sendersFor = (webhook: string | undefined) =>
  webhook === undefined ? [topic] : [topic, webhookSender({ variable: webhook, variables, sleep })];

async function tell(event: unknown): Promise<null> {
  await raiseAlarm({ store, sendersFor, warn: (message) => console.warn(message) }, event);
  return null;
}

const fold = (event: unknown): Promise<AggregateAnswer> =>
  aggregate({ store, clock: systemClock, onLost: (entries) => publishEnds(metrics, entries) }, event);

export const handler = (event: unknown): Promise<AggregateAnswer | null> =>
  AlarmEvent.safeParse(event).success ? tell(event) : fold(event);
