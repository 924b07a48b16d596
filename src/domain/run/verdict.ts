import * as z from "zod";
import type { Json } from "../json.ts";
import type { RunSpan } from "../plan.ts";
import type { Metrics } from "./amounts.ts";
import { CAUSE_LETTERS, FAILURE_CAUSES, faultOf } from "./failure.ts";
import type { LogEntry } from "./log-entry.ts";

/** A verdict as it is kept with its run. */
export interface KeptVerdict {
  readonly correct: boolean | null;
  readonly score: number | null;
  readonly reason: string | null;
  readonly metrics?: Metrics | undefined;
  readonly metadata?: Json | undefined;
}

/** A round that runs no agents and checks the results of earlier ones again, with the checker of its time. */
export const Recheck = z.object({
  round: z.int().positive(),
  /** Of the code that the checker is part of. */
  fingerprint: z.string().nullable(),
  /** The runner that it uses, in the cloud; runs of agents stay with the evaluation's own. */
  runnerVersion: z.string().nullable(),
  /** Results that were left as they were, because the round was stopped or a runner got lost; null while it runs. */
  unchecked: z.int().nonnegative().nullable(),
});
export type Recheck = z.infer<typeof Recheck>;

/** Says whether a round of an evaluation, the present one unless another is given, only checks. */
export const isChecking = (
  record: { readonly round: number; readonly recheck: Recheck | null },
  round: number = record.round,
): boolean => record.recheck?.round === round;

/** Says whether a round that checks still owes a verdict on an earlier result. */
export const isUnchecked = (entry: Pick<LogEntry, "failure" | "round">, round: number): boolean =>
  entry.round < round && isCheckable(entry);

export const VERDICT = { correct: "+", wrong: "-", unscored: "?", missing: ".", ...CAUSE_LETTERS } as const;
export type VerdictLetter = (typeof VERDICT)[keyof typeof VERDICT];

/** Results of the runs of a part of the plan: one character of `VERDICT` for each, in plan order. */
export interface VerdictRow {
  readonly from: number;
  readonly verdicts: string;
}

export function verdictOf({ failure, correct }: Pick<LogEntry, "failure" | "correct">): VerdictLetter {
  if (failure !== null) return CAUSE_LETTERS[failure.cause];
  if (correct === null) return VERDICT.unscored;
  return correct ? VERDICT.correct : VERDICT.wrong;
}

/** The row of a span; a run without an entry is missing. */
export function verdictRow(
  { from, to }: RunSpan,
  entries: Iterable<Pick<LogEntry, "index" | "failure" | "correct">>,
): VerdictRow {
  const verdicts = Array<string>(to - from).fill(VERDICT.missing);
  for (const entry of entries) {
    if (entry.index >= from && entry.index < to) verdicts[entry.index - from] = verdictOf(entry);
  }
  return { from, verdicts: verdicts.join("") };
}

/** A run that gave no answer has nothing to check; one whose checker broke has. */
const isCheckable = ({ failure }: Pick<LogEntry, "failure">): boolean =>
  failure === null || failure.cause === "checker_error";

const CHECKABLE: readonly string[] = [
  VERDICT.correct,
  VERDICT.wrong,
  VERDICT.unscored,
  VERDICT.checker_error,
];

/** Counts the runs of a row that have a result to check. */
export const countCheckable = (verdicts: string): number =>
  [...verdicts].filter((verdict) => CHECKABLE.includes(verdict)).length;

/** A run that was stopped has not had its chance yet; a retry gives every failure another one. */
export const isDone = ({ failure }: Pick<LogEntry, "failure">, retryFailed = false): boolean =>
  failure === null || (!retryFailed && failure.fault !== "stopped");

const NOT_DONE = new Set<string>([
  VERDICT.missing,
  ...FAILURE_CAUSES.filter((cause) => faultOf(cause) === "stopped").map((cause) => VERDICT[cause]),
]);
const NOT_ANSWERED = new Set<string>([VERDICT.missing, ...FAILURE_CAUSES.map((cause) => VERDICT[cause])]);

/** Counts the runs of a row that are done by the same rule. */
export function countDone(verdicts: string, retryFailed = false): number {
  const open = retryFailed ? NOT_ANSWERED : NOT_DONE;
  return [...verdicts].filter((verdict) => !open.has(verdict)).length;
}
