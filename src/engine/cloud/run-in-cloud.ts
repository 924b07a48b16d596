import type { Clock } from "../../domain/clock.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import type { Limits } from "../../domain/limits.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import { type Run, runIdOf } from "../../domain/plan.ts";
import { isChecking } from "../../domain/recheck.ts";
import { placeOfRun } from "../../domain/run-number.ts";
import type { Store } from "../../store/contract.ts";
import { BudgetBrake } from "../budget-brake.ts";
import { sha256 } from "../digest.ts";
import { executeRun } from "../execute-run.ts";
import { redactProblem } from "../redaction.ts";
import type { RunSpec } from "../run-spec.ts";
import { checkInCloud } from "./check-in-cloud.ts";
import { deadlineSignal } from "./deadline.ts";
import { type RunAnswer, RunEvent } from "./events.ts";
import { learnSeal } from "./learn-seal.ts";
import { storedRecord } from "./stored-record.ts";

/** What runs of one definition share in a runner's environment. */
export type OpenedDefinition = Pick<
  RunSpec,
  "isolation" | "gateway" | "tokens" | "redaction" | "prices" | "hasOwnProviders"
>;

export interface RunnerParts {
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
