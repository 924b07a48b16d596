import { deployedStore } from "../src/deployed-store.ts";
import { StorageSettings } from "../src/domain/cloud-settings.ts";
import { aggregate } from "../src/engine/cloud/aggregate.ts";
import type { AggregateAnswer } from "../src/engine/cloud/events.ts";
import { systemClock } from "../src/engine/system-clock.ts";

const store = deployedStore(StorageSettings.parse(process.env));

export const handler = (event: unknown): Promise<AggregateAnswer> =>
  aggregate({ store, clock: systemClock }, event);
