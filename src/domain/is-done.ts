import type { LogEntry } from "./log-entry.ts";

/** A run that was stopped has not had its chance yet; a retry gives every failure another one. */
export const isDone = ({ failure }: Pick<LogEntry, "failure">, retryFailed = false): boolean =>
  failure === null || (!retryFailed && failure.fault !== "stopped");
