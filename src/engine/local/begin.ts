import type { Clock } from "../../domain/clock.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord, OtherCommit } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { canonicalJson } from "../../domain/json.ts";
import { countPlanned, countRuns, grownPlan, type Plan } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import { isDone } from "../../domain/run/verdict.ts";
import type { EntryName, Store } from "../../store/store.ts";
import type { Definition } from "../definition/read-definition.ts";
import { nothingNew } from "../definition/requests.ts";
import type { EvaluationListener } from "../engine.ts";
import { countSpendBefore, takeOver } from "../owed-runs.ts";
import { type CodeOrigin, newRecord, reopenRecord, storedRecord } from "../record.ts";
import type { RunDeps } from "../run/run-session.ts";

/** Request for one evaluation on this machine. */
export interface LocalRequest {
  readonly file: string | null;
  readonly store: Store;
  /** The commit whose version of the file is evaluated beside the current one. */
  readonly against?: OtherCommit | undefined;
  /** The id of a new evaluation; without one it is made up. */
  readonly id?: EvaluationId | undefined;
  readonly resume?: EvaluationId | undefined;
  /** With `resume`: runs that failed get another chance too, in a new round. */
  readonly retryFailed?: boolean | undefined;
  /** With `resume`: what the definition has beyond the stored plan is run too, in an evaluation that takes over the rest. */
  readonly grow?: boolean | undefined;
  /** With `grow`: a definition that has nothing more is refused instead of resumed. */
  readonly mustGrow?: boolean | undefined;
  /** With `resume`: also an evaluation that seems to run elsewhere; a process that does still run it then stops. */
  readonly takeOver?: boolean | undefined;
}

export interface LocalDeps extends RunDeps, LocalRequest {
  readonly definition: Definition;
  readonly fingerprint: string | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** What names this work in the record, and whether that of such a name still goes on. */
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly source?: CodeOrigin | undefined;
  readonly listener: EvaluationListener;
}

interface BegunEvaluation {
  readonly record: EvaluationRecord;
  readonly plan: Plan;
}

/** Stores a new evaluation with the problems it is about, or that a stored one goes on. */
export const beginOrResume = (deps: LocalDeps): Promise<BegunEvaluation> =>
  deps.resume === undefined ? beginEvaluation(deps) : resumeEvaluation(deps, deps.resume);

async function beginEvaluation(
  deps: LocalDeps,
  origin: Partial<Pick<EvaluationRecord, "grownFrom" | "keepsFailed">> = {},
): Promise<BegunEvaluation> {
  const { definition, id, store, file, owner, against } = deps;
  const { name, models, trials, problems } = definition;
  const given = { file, owner, ...(against && { against }), ...origin };
  let record = newRecord(deps, given);
  while ((await store.createEvaluation(record, problems)) === "already-there") {
    if (id !== undefined) throw new EvaluatorError("evaluation.exists", `evaluation ${id} already exists`);
    // Another evaluation of this name may have begun in the same millisecond and drawn the same letters.
    record = newRecord(deps, given);
  }
  return { record, plan: { name, models, problems, trials } };
}

/** The stored evaluation says what is to be run; the definition only says how, unless the evaluation is to grow. */
async function resumeEvaluation(deps: LocalDeps, id: EvaluationId): Promise<BegunEvaluation> {
  const { store, listener, fingerprint, owner, definition, clock } = deps;
  const stored = await findStopped(deps, id);
  if (stored.fingerprint !== fingerprint) {
    listener.warning?.(
      "the evaluation's code changed since it started; its earlier runs used the older code",
    );
  }
  const problems = await Array.fromAsync(store.problems(id));
  const grown = deps.grow ? await growEvaluation(deps, stored, problems) : null;
  if (grown !== null) return grown;
  const needsRound = deps.retryFailed === true || (await hasStopped(stored, store));
  const { limits, concurrency, gates, budget = stored.budget } = definition;
  const round = needsRound ? stored.round + 1 : stored.round;
  const record = reopenRecord(
    stored,
    { budget, now: clock.now() },
    { round, owner, limits, concurrency, gates },
  );
  await claimEvaluation(store, record, stored);
  await takeOverRest(store, record);
  return { record, plan: { name: stored.name, models: stored.models, problems, trials: stored.trials } };
}

/** The process that let it grow may have died before all of what ended there was here. */
async function takeOverRest(store: Store, record: EvaluationRecord): Promise<void> {
  if (record.grownFrom === null) return;
  const here = new Set<number>();
  for await (const { index } of store.entries(record.id)) here.add(index);
  await takeOver(store, record, { from: 0, to: countPlanned(record) }, (number) => !here.has(number));
}

/** The evaluation without what others wrote into it, unless another process still works on it. */
export async function findStopped(
  { store, isAlive, listener, takeOver = false }: LocalDeps,
  id: EvaluationId,
): Promise<EvaluationRecord> {
  const stored = await storedRecord(store, id);
  const { status, owner } = stored;
  if (status === "running" && owner !== null && !takeOver && isAlive(owner)) throw stillRunning(id, owner);
  // The process that worked on it may have died before it could look for them.
  const foreign = await store.removeForeign(id);
  if (foreign.length === 0) return stored;
  listener.warning?.(foreignWarning(foreign));
  return { ...stored, foreignEntries: (stored.foreignEntries ?? 0) + foreign.length };
}

/** Makes an evaluation this process's own; of several that found it stopped, one has it. */
export async function claimEvaluation(
  store: Store,
  record: EvaluationRecord,
  found: EvaluationRecord,
): Promise<void> {
  if ((await store.updateEvaluation(record, found)) === "updated") return;
  const { owner } = await storedRecord(store, record.id);
  throw stillRunning(record.id, owner ?? "another process");
}

const stillRunning = (id: EvaluationId, owner: string): EvaluatorError =>
  new EvaluatorError(
    "evaluation.running",
    `evaluation ${id} is still running (${owner.split(":", 2).join(":")}); stop that process first. If it cannot be ` +
      `reached or is gone, run --resume ${id} --take-over; if it still works on the evaluation, it then stops`,
  );

const MOST_NAMED = 3;

/** Says that the store held what the evaluation had not written. */
export function foreignWarning(foreign: readonly EntryName[]): string {
  const runs = [...new Set(foreign.map(({ runId }) => runId))];
  const more = runs.length > MOST_NAMED ? ` and ${runs.length - MOST_NAMED} more` : "";
  return (
    `this evaluation did not write ${foreign.length} of the log entries that the store held for ` +
    `${runs.length === 1 ? "run" : "runs"} ${runs.slice(0, MOST_NAMED).join(", ")}${more}; they do not count. ` +
    "Something other than the evaluator can write to the store, maybe an agent: read the transcripts of this " +
    "evaluation, and keep the store where its agents cannot write"
  );
}

/**
 * Runs that were stopped have entries, and within a round the first entry wins; runs that got lost have none.
 * The entries are read too: the process that stopped an evaluation may have died before it could say so. A round that
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
async function growEvaluation(
  deps: LocalDeps,
  stored: EvaluationRecord,
  problems: readonly Problem[],
): Promise<BegunEvaluation | null> {
  const { store, definition, listener } = deps;
  const plan = grownPlan(stored, problems, definition);
  if (countRuns(plan) === countPlanned(stored)) {
    if (deps.mustGrow) throw nothingNew(stored.id);
    return null;
  }
  for (const id of changedProblems(problems, definition.problems)) {
    listener.warning?.(
      `problem ${id} has changed; this evaluation keeps the earlier one, so give the new one its own id`,
    );
  }
  const begun = await beginEvaluation(
    { ...deps, definition: { ...definition, ...plan } },
    { grownFrom: stored.id, keepsFailed: deps.retryFailed !== true },
  );
  await countSpendBefore(store, stored.id, begun.record.id);
  await takeOverRest(store, begun.record);
  return begun;
}

function changedProblems(before: readonly Problem[], now: readonly Problem[]): string[] {
  const contentOf = ({ problem, expected }: Problem) => canonicalJson([problem, expected]);
  const known = new Map(before.map((problem) => [problem.id, contentOf(problem)]));
  return now
    .filter((problem) => (known.get(problem.id) ?? contentOf(problem)) !== contentOf(problem))
    .map(({ id }) => id);
}
