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
import { executeRun } from "../run/execute-run.ts";
import { checkEntry } from "../run/judge-run.ts";
import { redactProblem } from "../run/redaction.ts";
import type { RunSpec } from "../run/run-spec.ts";
import { learnSeal, type RunAnswer, RunEvent } from "./events.ts";
import { storedRecord } from "./parts.ts";

/** What runs of one definition share in a runner's environment. */
export type OpenedDefinition = Pick<
  RunSpec,
  "isolation" | "gateway" | "tokens" | "redaction" | "prices" | "hasOwnProviders"
>;

interface RunnerParts {
  readonly store: Pick<
    Store,
    | "findEvaluation"
    | "problems"
    | "hasEntry"
    | "saveEntry"
    | "learnSeal"
    | "isCancelRequested"
    | "addSpend"
    | "entries"
    | "readBody"
  >;
  readonly clock: Clock;
  /** The evaluation's own limits, which a request may have changed. */
  open(definition: string, limits: Limits): Promise<OpenedDefinition>;
  /** Told of every entry that was saved, once. */
  onEntry(entry: LogEntry): void;
}

/** One run in a Lambda, from its number to its entry; a run that has its entry already is not run again. */
export async function runInCloud(
  parts: RunnerParts,
  input: unknown,
  remainingMs: () => number,
): Promise<RunAnswer> {
  const event = RunEvent.parse(input);
  const { evaluationId, round, run: number } = event;
  learnSeal(parts.store, event);
  const record = await storedRecord(parts.store, evaluationId);
  if (isChecking(record, round)) return checkInCloud(parts, record, { round, run: number }, remainingMs);
  const run = await findRun(parts, record, number);
  if (await parts.store.hasEntry({ evaluationId, runId: run.runId, index: number, round })) return "ended";
  if (await parts.store.isCancelRequested(evaluationId, round)) return "not-started";
  const brake = new BudgetBrake(parts.store, record, parts.clock);
  if (!(await brake.mayStart())) return "over-budget";
  const opened = await parts.open(record.name, record.limits);
  const deadline = deadlineSignal(remainingMs());
  try {
    // Whoever stored the problem has no keys to compare it with.
    const problem = redactProblem(run.problem, opened.redaction);
    const { entry, body } = await executeRun(
      { ...run, problem },
      {
        ...opened,
        evaluationId,
        round,
        limits: record.limits,
        clock: parts.clock,
        cancelled: deadline.signal,
      },
    );
    await brake.add(entry);
    if ((await parts.store.saveEntry(entry, body)) !== "already-there") parts.onEntry(entry);
    return "ended";
  } finally {
    deadline.clear();
  }
}

async function findRun({ store }: RunnerParts, record: EvaluationRecord, index: number): Promise<Run> {
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

/** Checks the stored result of one run again in a Lambda; one that this round has checked is not checked twice. */
async function checkInCloud(
  { store, open, clock }: RunnerParts,
  record: EvaluationRecord,
  { round, run }: Pick<RunEvent, "round" | "run">,
  remainingMs: () => number,
): Promise<RunAnswer> {
  if (await store.isCancelRequested(record.id, round)) return "not-started";
  const { id: evaluationId, name, limits } = record;
  const opened = await open(name, limits);
  const deadline = deadlineSignal(remainingMs());
  const spec = { ...opened, evaluationId, round, limits, clock, cancelled: deadline.signal };
  try {
    for await (const entry of store.entries(evaluationId, { fromIndex: run, toIndex: run + 1 })) {
      await checkEntry({ store, record, spec }, entry);
    }
    return "ended";
  } finally {
    deadline.clear();
  }
}

/** What it takes to end the run's process, to save its entry and to answer. */
const RESERVE_MS = 10_000;

/**
 * Aborted shortly before Lambda would end everything. `timeoutSeconds` fits into that time, so a run that comes this
 * far has waited: for its rate limits, which is no fault of the model's.
 */
function deadlineSignal(remainingMs: number): { signal: AbortSignal; clear: () => void } {
  const stop = new AbortController();
  const message = `work and waits for rate limits together took as long as the Lambda may run; lower concurrency or limits.maxWaitSeconds`;
  const end = () => stop.abort(failure("rate_limited", message));
  const timer = setTimeout(end, Math.max(0, remainingMs - RESERVE_MS));
  return { signal: stop.signal, clear: () => clearTimeout(timer) };
}
