import { type AggregateParts, aggregate } from "./aggregate.ts";
import { type AggregateAnswer, AlarmEvent } from "./events.ts";
import { type AlarmParts, raiseAlarm } from "./raise-alarm.ts";

/** What the aggregator is invoked for: to add entries up or, once an end is stored, to tell that it is a worse one. */
export async function foldOrTell(
  parts: AggregateParts & AlarmParts,
  event: unknown,
): Promise<AggregateAnswer | null> {
  if (!AlarmEvent.safeParse(event).success) return aggregate(parts, event);
  await raiseAlarm(parts, event);
  return null;
}
