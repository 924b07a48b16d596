import type { Clock } from "../../domain/clock.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Limits } from "../../domain/limits.ts";
import { placeOfRun, type Run, runIdOf } from "../../domain/plan.ts";
import { failure } from "../../domain/run/failure.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { isChecking } from "../../domain/run/verdict.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../system/digest.ts";
import { BudgetBrake } from "../budget-brake.ts";
import { storedRecord } from "../record.ts";
import { checkEntry, executeRun } from "../run/execute-run.ts";
import { redactProblem } from "../run/redaction.ts";
import type { RunDeps, RunSpec } from "../run/run-session.ts";
import { learnSeal, type RunAnswer, RunEvent } from "./events.ts";

interface RunnerDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The evaluation's own limits, which a request may have changed. */
  open(definition: string, limits: Limits): Promise<RunDeps>;
  /** Called once with every entry that was saved. */
  onEntry(entry: LogEntry): void;
}

/** One run in a Lambda, from its number to its entry, or the check of one; what this round has done is not done again. */
export async function runInCloud(
  parts: RunnerDeps,
  input: unknown,
  remainingMs: () => number,
): Promise<RunAnswer> {
  const { store, clock } = parts;
  const event = RunEvent.parse(input);
  const { evaluationId, round, run: index } = event;
  learnSeal(store, event);
  const record = await storedRecord(store, evaluationId);
  const run = isChecking(record, round) ? null : await findRun(parts, record, index);
  if (run !== null && (await store.hasEntry({ evaluationId, runId: run.runId, index, round })))
    return "ended";
  if (await store.isCancelRequested(evaluationId, round)) return "not-started";
  if (run !== null && !(await new BudgetBrake(store, record, clock).mayStart())) return "over-budget";
  const { name, limits } = record;
  const deps = await parts.open(name, limits);
  const deadline = deadlineSignal(remainingMs());
  const spec = { ...deps, evaluationId, round, limits, clock, cancelled: deadline.signal };
  try {
    await (run === null ? checkRun(parts, record, spec, index) : runOnce(parts, record, spec, run));
    return "ended";
  } finally {
    deadline.clear();
  }
}

async function runOnce(
  { store, clock, onEntry }: RunnerDeps,
  record: EvaluationRecord,
  spec: RunSpec,
  run: Run,
): Promise<void> {
  // The function that stored the problem has no keys to compare it with.
  const problem = redactProblem(run.problem, spec.redaction);
  const { entry, body } = await executeRun({ ...run, problem }, spec);
  await new BudgetBrake(store, record, clock).add(entry);
  if ((await store.saveEntry(entry, body)) !== "already-there") onEntry(entry);
}

async function checkRun(
  { store }: RunnerDeps,
  record: EvaluationRecord,
  spec: RunSpec,
  index: number,
): Promise<void> {
  for await (const entry of store.entries(record.id, { fromIndex: index, toIndex: index + 1 })) {
    await checkEntry({ store, record, spec }, entry);
  }
}

async function findRun({ store }: RunnerDeps, record: EvaluationRecord, index: number): Promise<Run> {
  const place = placeOfRun(record, index);
  if (place !== null) {
    const { model, trial } = place;
    const span = { from: place.problem, to: place.problem + 1 };
    for await (const problem of store.problems(record.id, span)) {
      return { index, runId: runIdOf(record.name, model, problem, trial, sha256), model, problem, trial };
    }
  }
  throw new EvaluatorError("run.unknown", `evaluation ${record.id} has no run ${index}`);
}

/** What it takes to end the run's process, to save its entry and to answer. */
const RESERVE_MS = 10_000;

/**
 * Aborted shortly before Lambda would end everything. `timeoutSeconds` fits into that time, so a run that comes this
 * far has waited: for its rate limits, which is not the model's fault.
 */
function deadlineSignal(remainingMs: number): { signal: AbortSignal; clear: () => void } {
  const stop = new AbortController();
  const message = `the run and its waits for rate limits took all the time that the Lambda has; lower concurrency or limits.maxWaitSeconds`;
  const end = () => stop.abort(failure("rate_limited", message));
  const timer = setTimeout(end, Math.max(0, remainingMs - RESERVE_MS));
  return { signal: stop.signal, clear: () => clearTimeout(timer) };
}
