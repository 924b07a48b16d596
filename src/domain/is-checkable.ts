import type { LogEntry } from "./log-entry.ts";
import { VERDICT } from "./verdict.ts";

/** A run that gave no answer has nothing to check; one whose checker broke has. */
export const isCheckable = ({ failure }: Pick<LogEntry, "failure">): boolean =>
  failure === null || failure.cause === "checker_error";

const CHECKABLE: readonly string[] = [
  VERDICT.correct,
  VERDICT.wrong,
  VERDICT.unscored,
  VERDICT.checker_error,
];

/** How many runs of a row have a result to check. */
export const countCheckable = (verdicts: string): number =>
  [...verdicts].filter((verdict) => CHECKABLE.includes(verdict)).length;
