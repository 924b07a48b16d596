import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { isDone } from "../domain/is-done.ts";
import { countPlanned } from "../domain/run-number.ts";
import type { Store } from "../store/contract.ts";
import type { BegunEvaluation } from "./begin-evaluation.ts";
import { budgetFields } from "./budget-brake.ts";
import { foreignWarning } from "./foreign-entries.ts";
import { growEvaluation } from "./grow-evaluation.ts";
import type { LocalEvaluation } from "./local-evaluation.ts";
import { takeOver } from "./take-over.ts";

/** The stored evaluation says what is to be run; the definition only says how, unless the evaluation is to grow. */
export async function resumeEvaluation(input: LocalEvaluation, id: EvaluationId): Promise<BegunEvaluation> {
  const { store, listener, fingerprint, owner, definition, clock } = input;
  const stored = await findStopped(input, id);
  if (stored.fingerprint !== fingerprint) {
    listener.warning?.(
      "the evaluation's code changed since it started; its earlier runs used the older code",
    );
  }
  const grown = input.grow ? await growEvaluation(input, stored) : null;
  if (grown !== null) return grown;
  const problems = await Array.fromAsync(store.problems(id));
  const needsRound = input.retryFailed === true || (await hasStopped(stored, store));
  const record: EvaluationRecord = {
    ...stored,
    status: "running",
    round: needsRound ? stored.round + 1 : stored.round,
    endedAt: null,
    owner,
    limits: definition.limits,
    concurrency: definition.concurrency,
    stats: null,
    ...budgetFields(definition.budget ?? stored.budget, clock.now()),
  };
  await store.updateEvaluation(record);
  await takeOverRest(store, record);
  return { record, plan: { name: stored.name, models: stored.models, problems, trials: stored.trials } };
}

/** Whoever let it grow may have died before all of what ended there was here. */
async function takeOverRest(store: Store, record: EvaluationRecord): Promise<void> {
  const from = record.grownFrom === null ? null : await store.findEvaluation(record.grownFrom);
  if (from === null) return;
  const here = new Set<number>();
  for await (const { index } of store.entries(record.id)) here.add(index);
  const span = { from: 0, to: countPlanned(record) };
  await takeOver({ store, from, to: record, span, isWanted: (number) => !here.has(number) });
}

/** The evaluation without what others wrote into it, unless another process still works on it. */
export async function findStopped(
  { store, owner, isAlive, listener }: LocalEvaluation,
  id: EvaluationId,
): Promise<EvaluationRecord> {
  const stored = await store.findEvaluation(id);
  if (stored === null)
    throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id} in this store`);
  const isElsewhere = stored.owner !== null && stored.owner !== owner && isAlive(stored.owner);
  if (stored.status !== "running" || !isElsewhere) return withoutForeign(store, stored, listener);
  throw new EvaluatorError(
    "evaluation.running",
    `evaluation ${id} is still running (${stored.owner}); stop that process first`,
  );
}

/** Whoever worked on it may have died before it could look for them. */
async function withoutForeign(
  store: Store,
  stored: EvaluationRecord,
  listener: LocalEvaluation["listener"],
): Promise<EvaluationRecord> {
  const foreign = await store.removeForeign(stored.id);
  if (foreign.length === 0) return stored;
  listener.warning?.(foreignWarning(foreign));
  return { ...stored, foreignEntries: (stored.foreignEntries ?? 0) + foreign.length };
}

/**
 * Runs that were stopped have entries, and within a round the first entry wins; runs that got lost have none.
 * The entries are asked too: whoever stopped an evaluation may have died before it could say so. A round that
 * was asked to stop stays so.
 */
async function hasStopped({ id, status, round }: EvaluationRecord, store: Store): Promise<boolean> {
  if (status === "cancelled" || (await store.isCancelRequested(id, round))) return true;
  for await (const entry of store.entries(id, { failed: true })) {
    if (entry.round === round && !isDone(entry)) return true;
  }
  return false;
}
