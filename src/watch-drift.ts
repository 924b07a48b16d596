import type { EvaluationOutcome, LocalEvaluation } from "./engine/local-evaluation.ts";
import { systemClock } from "./engine/system-clock.ts";
import { tellDrift } from "./engine/tell-drift.ts";
import { webhookSender } from "./engine/webhook-sender.ts";

/** Tells of a drop against earlier evaluations; only one that is whole can be compared. */
export async function watchDrift(
  { definition: { drift }, store, listener }: LocalEvaluation,
  { record }: EvaluationOutcome,
): Promise<void> {
  if (drift === undefined || record.status !== "finished") return;
  const { webhook } = drift;
  const { sleep } = systemClock;
  const senders =
    webhook === undefined ? [] : [webhookSender({ variable: webhook, variables: process.env, sleep })];
  await tellDrift({ store, drift, senders, warn: (message) => listener.warning?.(message) }, record);
}
