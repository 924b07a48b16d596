import { FAILURE_CAUSES, FAULTS } from "./failure.ts";
import type { LogEntry } from "./log-entry.ts";
import { VERDICT } from "./verdict.ts";

/** A run that was stopped has not had its chance yet; a retry gives every failure another one. */
export const isDone = ({ failure }: Pick<LogEntry, "failure">, retryFailed = false): boolean =>
  failure === null || (!retryFailed && failure.fault !== "stopped");

const NOT_DONE = new Set<string>([
  VERDICT.missing,
  ...FAILURE_CAUSES.filter((cause) => FAULTS[cause] === "stopped").map((cause) => VERDICT[cause]),
]);
const NOT_ANSWERED = new Set<string>([VERDICT.missing, ...FAILURE_CAUSES.map((cause) => VERDICT[cause])]);

/** How many runs of a row are done by the same rule. */
export function countDone(verdicts: string, retryFailed = false): number {
  const open = retryFailed ? NOT_ANSWERED : NOT_DONE;
  return [...verdicts].filter((verdict) => !open.has(verdict)).length;
}
