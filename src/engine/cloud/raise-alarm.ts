import { type DriftWatch, tellDrift } from "../tell-drift.ts";
import { AlarmEvent } from "./events.ts";
import { storedRecord } from "./stored-record.ts";

export interface AlarmParts extends Pick<DriftWatch, "store" | "warn"> {
  /** Who is told, given the variable that a definition names for its webhook. */
  readonly sendersFor: (webhook: string | undefined) => DriftWatch["senders"];
}

/**
 * Tells of an evaluation that got worse. It is an invocation of its own, after the end is stored: one that is lost is
 * made again by the execution, so that an alarm is told at least once, and no trouble with it touches the end.
 */
export async function raiseAlarm({ store, warn, sendersFor }: AlarmParts, input: unknown): Promise<void> {
  const { evaluationId, round } = AlarmEvent.parse(input);
  const record = await storedRecord(store, evaluationId);
  const { drift } = record;
  if (drift === undefined || record.round !== round || record.status !== "finished") return;
  await tellDrift({ store, drift, warn, senders: sendersFor(drift.webhook) }, record);
}
