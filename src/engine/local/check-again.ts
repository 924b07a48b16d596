import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { modelKey } from "../../domain/model.ts";
import { countPlanned } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { isUnchecked } from "../../domain/run/verdict.ts";
import type { EvaluationOutcome } from "../engine.ts";
import { workThrough } from "../owed-runs.ts";
import { recheckRecord } from "../record.ts";
import { checkEntry } from "../run/execute-run.ts";
import { claimEvaluation, findStopped, type LocalDeps } from "./begin.ts";
import { endEvaluation, foldEntries, specOf, unless, watchOthers } from "./local-evaluation.ts";

/** Checks every stored result again, in a round of its own; no agent runs, and what the checks before said is kept. */
export async function checkAgain(deps: LocalDeps, id: EvaluationId): Promise<EvaluationOutcome> {
  const { store, owner, definition, listener, fingerprint, clock } = deps;
  const stored = await findStopped(deps, id);
  const record = recheckRecord(stored, { fingerprint, runnerVersion: null }, { owner });
  const { round } = record;
  await claimEvaluation(store, record, stored);
  const models = record.models.map(modelKey);
  listener.started?.({ record, total: countPlanned(record), alreadyDone: 0, models });
  await using watch = watchOthers(store, record, clock);
  const signal = AbortSignal.any([deps.signal, watch.asked, watch.lost]);
  const spec = specOf({ ...deps, signal }, record);
  const check = async (entry: LogEntry): Promise<void> => {
    const checked = await checkEntry({ store, record, spec }, entry);
    listener.entry?.(checked);
  };
  const entries = unless(() => signal.aborted, store.entries(id));
  const [end] = await Promise.allSettled([workThrough(entries, definition.concurrency, check)]);
  const stats = await foldEntries(store, record);
  let unchecked = 0;
  for await (const entry of store.entries(id)) if (isUnchecked(entry, round)) unchecked++;
  // However far the checks came, the evaluation itself is as finished as it was before.
  const recheck = record.recheck && { ...record.recheck, unchecked };
  const ended: EvaluationRecord = { ...stored, round, owner: null, recheck, stats };
  await endEvaluation(store, ended, record);
  if (end.status === "rejected") throw end.reason;
  return { record: ended, stats };
}
