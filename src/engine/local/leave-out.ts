import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Run } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { accountForRuns } from "../owed-runs.ts";
import type { LocalDeps } from "./begin.ts";

/** Accounts for runs that the budget kept from starting, in one piece; they have their chance on resume. */
export async function leaveOut(
  { store, clock, listener }: LocalDeps,
  { id, round }: EvaluationRecord,
  runs: Iterable<Run>,
  why: string,
  onEntry: (entry: LogEntry) => void,
): Promise<void> {
  listener.warning?.(`${why}; no further runs start. Continue with --resume and a larger budget`);
  const indexes = Array.from(runs, ({ index }) => index);
  await accountForRuns({ store, clock, evaluationId: id, round }, indexes, () => "budget");
  for await (const entry of store.entries(id, { cause: "budget" })) if (entry.round === round) onEntry(entry);
}

/** Advice to whoever sees a provider stopped. */
export const HOW_TO_GO_ON =
  "Correct the key or the connection, then --resume with --retry-failed; --keep-going starts all runs anyway";

/** Accounts for the runs of providers that answered none of them; they have their chance on resume too. */
export async function leaveOutStopped(
  { store, clock }: LocalDeps,
  { id: evaluationId, round }: EvaluationRecord,
  runs: Iterable<Run>,
  stopped: ReadonlyMap<string, string>,
  onEntry: (entry: LogEntry) => void,
): Promise<void> {
  if (stopped.size === 0) return;
  const all = [...runs];
  for (const [providerKey, why] of stopped) {
    const indexes = all.filter(({ model }) => model.providerKey === providerKey).map(({ index }) => index);
    const message = `not started: ${why}`;
    await accountForRuns({ store, clock, evaluationId, round, message }, indexes, () => "cancelled");
  }
  for await (const entry of store.entries(evaluationId, { cause: "cancelled" }))
    if (entry.round === round && entry.attempts.length === 0 && stopped.has(entry.providerKey))
      onEntry(entry);
}
