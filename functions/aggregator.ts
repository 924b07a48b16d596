import { Metrics } from "@aws-lambda-powertools/metrics";
import { deployedStore } from "../src/deployed-store.ts";
import { METRICS_SERVICE } from "../src/domain/cloud-metrics.ts";
import { AggregatorSettings } from "../src/domain/cloud-settings.ts";
import { aggregate } from "../src/engine/cloud/aggregate.ts";
import type { AggregateAnswer } from "../src/engine/cloud/events.ts";
import { publishEnds } from "../src/engine/cloud/publish-run.ts";
import { systemClock } from "../src/engine/system-clock.ts";

const settings = AggregatorSettings.parse(process.env);
const store = deployedStore(settings);
const metrics = new Metrics({ namespace: settings.METRICS_NAMESPACE, serviceName: METRICS_SERVICE });

export const handler = (event: unknown): Promise<AggregateAnswer> =>
  aggregate({ store, clock: systemClock, onLost: (entries) => publishEnds(metrics, entries) }, event);
