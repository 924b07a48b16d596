import type { Drift, DriftAlarm } from "../domain/drift.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { checkDrift, type DriftStore } from "./check-drift.ts";

/** Answers with a warning when the alarm may not have arrived. */
export type SendAlarm = (alarm: DriftAlarm) => Promise<string | null>;

export interface DriftWatch {
  readonly store: DriftStore;
  readonly drift: Drift;
  readonly senders: readonly SendAlarm[];
  readonly warn: (message: string) => void;
}

/** Tells of an evaluation that got worse; whatever goes wrong here is a warning, because the evaluation has ended well. */
export async function tellDrift(watch: DriftWatch, record: EvaluationRecord): Promise<void> {
  try {
    const alarm = await checkDrift(watch.store, record, watch.drift);
    if (alarm === null) return;
    watch.warn(alarm.text);
    const troubles = await Promise.all(watch.senders.map((send) => send(alarm)));
    for (const trouble of troubles) if (trouble !== null) watch.warn(trouble);
  } catch (error) {
    watch.warn(`drift was not checked: ${error instanceof Error ? error.message : String(error)}`);
  }
}
