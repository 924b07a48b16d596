import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { type EvaluationId, makeEvaluationId } from "../../domain/ids.ts";
import { canonicalJson } from "../../domain/json.ts";
import { countPlanned, countRuns, grownPlan, type Plan } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import { isDone } from "../../domain/run/verdict.ts";
import type { Store } from "../../store/store.ts";
import { budgetFields } from "../budget-brake.ts";
import { nothingNew } from "../definition/requests.ts";
import { foreignWarning } from "../foreign-entries.ts";
import { countSpendBefore, takeOver } from "../take-over.ts";
import type { LocalEvaluation } from "./local-evaluation.ts";

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

/**
 * A stored evaluation with the models, problems and trials that the definition has beyond it; null when there are none.
 * It becomes an evaluation of its own, because runs are known by their number in the plan: what ended before is taken
 * over under its new number, and the older one stays as it was.
 */
export async function growEvaluation(
  input: LocalEvaluation,
  stored: EvaluationRecord,
): Promise<BegunEvaluation | null> {
  const { store, definition, listener } = input;
  const problems = await Array.fromAsync(store.problems(stored.id));
  const plan = grownPlan(stored, problems, definition);
  if (countRuns(plan) === countPlanned(stored)) {
    if (input.mustGrow) throw nothingNew(stored.id);
    return null;
  }
  for (const id of changedProblems(problems, definition.problems)) {
    listener.warning?.(
      `problem ${id} changed since; it stays as it was, so give the new one an id of its own`,
    );
  }
  const begun = await beginEvaluation(
    { ...input, definition: { ...definition, ...plan } },
    { grownFrom: stored.id, keepsFailed: input.retryFailed !== true },
  );
  await countSpendBefore(store, stored.id, begun.record.id);
  const span = { from: 0, to: countRuns(plan) };
  await takeOver({ store, from: stored, to: begun.record, span, isWanted: () => true });
  return begun;
}

function changedProblems(before: readonly Problem[], now: readonly Problem[]): string[] {
  const contentOf = ({ problem, expected }: Problem) => canonicalJson([problem, expected]);
  const known = new Map(before.map((problem) => [problem.id, contentOf(problem)]));
  return now
    .filter((problem) => (known.get(problem.id) ?? contentOf(problem)) !== contentOf(problem))
    .map(({ id }) => id);
}

interface BegunEvaluation {
  readonly record: EvaluationRecord;
  readonly plan: Plan;
}

/** Stores a new evaluation with the problems it is about. */
export async function beginEvaluation(
  input: LocalEvaluation,
  origin: Partial<Pick<EvaluationRecord, "grownFrom" | "keepsFailed">> = {},
): Promise<BegunEvaluation> {
  const { definition, clock, random, id, store } = input;
  const { name, models, trials, problems } = definition;
  const makeId = () => makeEvaluationId(name, clock.now().getTime(), random);
  let record = { ...newRecord(input, problems.length, id ?? makeId()), ...origin };
  while ((await store.createEvaluation(record, problems)) === "already-there") {
    if (id !== undefined)
      throw new EvaluatorError("evaluation.exists", `there is an evaluation ${id} already`);
    // Another evaluation of this name may have begun in the same millisecond and drawn the same letters.
    record = { ...record, id: makeId() };
  }
  return { record, plan: { name, models, problems, trials } };
}

const newRecord = (
  { definition, clock, file, fingerprint, owner }: LocalEvaluation,
  problemCount: number,
  id: EvaluationRecord["id"],
): EvaluationRecord => ({
  v: 1,
  id,
  name: definition.name,
  status: "running",
  file,
  fingerprint,
  models: [...definition.models],
  trials: definition.trials,
  problemCount,
  limits: definition.limits,
  round: 1,
  tags: definition.tags,
  startedAt: clock.now().toISOString(),
  endedAt: null,
  owner,
  concurrency: definition.concurrency,
  stats: null,
  grownFrom: null,
  keepsFailed: true,
  recheck: null,
  ...budgetFields(definition.budget, clock.now()),
  execution: null,
  runnerVersion: null,
});
