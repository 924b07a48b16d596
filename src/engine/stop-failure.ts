import { Failure, failure } from "../domain/failure.ts";

/** Why a run has to end: what the signal was aborted with, if that is a failure; else the evaluation was cancelled. */
export function stopFailure(signal: AbortSignal): Failure {
  const given = Failure.safeParse(signal.reason);
  return given.success ? given.data : failure("cancelled", "the evaluation was cancelled");
}
