import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { isChecking } from "../../domain/recheck.ts";
import type { CloudParts } from "./cloud-parts.ts";
import type { EvaluationEvent } from "./events.ts";
import { executionName, stopName } from "./execution-name.ts";
import type { ExecutionState } from "./executions.ts";
import { storedRecord } from "./stored-record.ts";

type Parts = Pick<CloudParts, "executions">;

/** The execution of an evaluation's present round, always by the version that it started with. */
export const describeRound = ({ executions }: Parts, record: EvaluationRecord): Promise<ExecutionState> =>
  executions.describe(versionOf(executions, record), executionName(record.id, record.round));

export const stopRound = ({ executions }: Parts, record: EvaluationRecord): Promise<void> =>
  executions.stop(versionOf(executions, record), executionName(record.id, record.round));

export const executeRound = (
  { executions }: Parts,
  record: EvaluationRecord,
  flags: Pick<EvaluationEvent, "isAfterStop"> = {},
): Promise<void> => {
  const { id: evaluationId, round } = record;
  const name = executionName(evaluationId, round);
  return executions.start(versionOf(executions, record), name, { v: 1, evaluationId, round, ...flags });
};

/** Another one, for a round whose own execution does not end it. */
export const executeStop = ({ executions }: Parts, record: EvaluationRecord, now: Date): Promise<void> => {
  const { id: evaluationId, round } = record;
  const name = stopName(evaluationId, round, now);
  return executions.start(versionOf(executions, record), name, { v: 1, evaluationId, round, isStop: true });
};

export interface StoppedEvaluation {
  readonly record: EvaluationRecord;
  /** `unknown`: it is said to run, but was never started. */
  readonly state: Exclude<ExecutionState, "running">;
}

/** The evaluation, unless its execution is under way; one that died without a word is over too. */
export async function stoppedEvaluation(
  parts: Pick<CloudParts, "executions" | "store">,
  id: EvaluationId,
): Promise<StoppedEvaluation> {
  const record = await storedRecord(parts.store, id);
  const state = record.status === "running" ? await describeRound(parts, record) : "ended";
  if (state !== "running") return { record, state };
  throw new EvaluatorError(
    "evaluation.running",
    `evaluation ${id} is still running; cancel it first, or wait for its end`,
  );
}

/** Shards of an execution that died start no further run from now on; says what the next one has to know of it. */
export async function quietenRound(
  { store }: Pick<CloudParts, "store">,
  { id, round, status, hasLateRuns }: EvaluationRecord,
): Promise<Pick<EvaluationEvent, "isAfterStop">> {
  const hasDied = status === "running";
  if (hasDied) await store.requestCancel(id, round);
  return hasDied || hasLateRuns ? { isAfterStop: true } : {};
}

/** A round that checks has the checker, and with it all other code, of its own time. */
const versionOf = (executions: CloudParts["executions"], record: EvaluationRecord): string => {
  const { runnerVersion, recheck } = record;
  return (isChecking(record) ? recheck?.runnerVersion : runnerVersion) ?? executions.version;
};
