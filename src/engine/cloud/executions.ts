import * as z from "zod";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluationId } from "../../domain/ids.ts";
import { isChecking } from "../../domain/run/verdict.ts";
import { sha256 } from "../../system/digest.ts";
import type { EvaluationEvent } from "./events.ts";
import { type CloudParts, storedRecord } from "./parts.ts";

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

interface StoppedEvaluation {
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

/** What EventBridge Scheduler sends; a second delivery says the same. */
export const ScheduleEvent = z.object({ evaluation: z.string().min(1), scheduledAt: z.iso.datetime() });
export type ScheduleEvent = z.infer<typeof ScheduleEvent>;

/** Made of definition and date, so that what is delivered twice starts once. */
export function scheduledId({ evaluation, scheduledAt }: ScheduleEvent): EvaluationId {
  const word = evaluation
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 24);
  const at = new Date(scheduledAt).toISOString().slice(0, 16).replaceAll(/[-:]/g, "").toLowerCase();
  // Names that differ elsewhere are told apart too.
  return EvaluationId.parse(`${word || "evaluation"}-${at}-${sha256(evaluation).slice(0, 6)}`);
}

const MAX_LENGTH = 64;

/** The same for every attempt to start a round, and made of the letters that Lambda takes. */
export const executionName = (id: EvaluationId, round: number): string =>
  fitted(`${id}-${round}`, `${round}`);

/** Of the execution that ends a cancelled round; should it get lost as well, a cancel a minute later begins another. */
const stopName = (id: EvaluationId, round: number, now: Date): string => {
  const ending = `${round}-stop-${Math.floor(now.getTime() / 60_000)}`;
  return fitted(`${id}-${ending}`, ending);
};

function fitted(name: string, ending: string): string {
  if (name.length <= MAX_LENGTH && /^[\w-]+$/.test(name)) return name;
  return `${sha256(name).slice(0, 40)}-${ending}`;
}

/** How a durable execution stands; `unknown`: none of that name was started. */
export type ExecutionState = "running" | "ended" | "unknown";

/** The executions of the orchestrator. */
export interface Executions {
  /** The version that new evaluations are given to, with all it calls. */
  readonly version: string;
  /** Starts an execution and does not wait for it; one of the same name that was started before is left alone. */
  start(version: string, name: string, event: EvaluationEvent): Promise<void>;
  describe(version: string, name: string): Promise<ExecutionState>;
  /** Ends one that is running where it stands; it is not heard of again. */
  stop(version: string, name: string): Promise<void>;
}
