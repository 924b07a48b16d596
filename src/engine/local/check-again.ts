import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { modelKey } from "../../domain/model.ts";
import { countPlanned } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { isUnchecked, type Recheck } from "../../domain/run/verdict.ts";
import { checkEntry } from "../run/judge-run.ts";
import { workThrough } from "../take-over.ts";
import { findStopped } from "./begin.ts";
import {
  type EvaluationOutcome,
  foldEntries,
  type LocalEvaluation,
  specOf,
  watchForCancel,
} from "./local-evaluation.ts";

/** Checks every stored result again, in a round of its own; no agent runs, and what the checks before said is kept. */
export async function checkAgain(input: LocalEvaluation, id: EvaluationId): Promise<EvaluationOutcome> {
  const { store, owner, definition, listener, fingerprint, clock } = input;
  const stored = await findStopped(input, id);
  const round = stored.round + 1;
  const recheck: Recheck = { round, fingerprint, runnerVersion: null, unchecked: null };
  const record: EvaluationRecord = { ...stored, status: "running", round, owner, recheck };
  await store.updateEvaluation(record);
  const models = record.models.map(modelKey);
  listener.started?.({ record, total: countPlanned(record), alreadyDone: 0, models });
  await using asked = watchForCancel(store, record, clock);
  const signal = AbortSignal.any([input.signal, asked.signal]);
  const spec = specOf({ ...input, signal }, record);
  const check = async (entry: LogEntry): Promise<void> => {
    const checked = await checkEntry({ store, record, spec }, entry);
    listener.entry?.(checked);
  };
  const work = workThrough(unless(signal, store.entries(id)), definition.concurrency, check);
  const [end] = await Promise.allSettled([work]);
  const stats = await foldEntries(store, record);
  const unchecked = await countUnchecked(store.entries(id), round);
  // However far the checks came, the evaluation itself is as finished as it was before.
  const ended: EvaluationRecord = {
    ...stored,
    round,
    owner: null,
    recheck: { ...recheck, unchecked },
    stats,
  };
  await store.updateEvaluation(ended);
  if (end.status === "rejected") throw end.reason;
  return { record: ended, stats };
}

async function* unless<Item>(signal: AbortSignal, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

async function countUnchecked(entries: AsyncIterable<LogEntry>, round: number): Promise<number> {
  let count = 0;
  for await (const entry of entries) if (isUnchecked(entry, round)) count++;
  return count;
}
