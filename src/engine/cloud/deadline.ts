import { failure } from "../../domain/failure.ts";

/** What it takes to end the run's process, to save its entry and to answer. */
const RESERVE_MS = 10_000;

/**
 * Aborted shortly before Lambda would end everything. `timeoutSeconds` fits into that time, so a run that comes this
 * far has waited: for its rate limits, which is no fault of the model's.
 */
export function deadlineSignal(remainingMs: number): { signal: AbortSignal; clear: () => void } {
  const stop = new AbortController();
  const message = `work and waits for rate limits together took as long as the Lambda may run; lower concurrency or limits.maxWaitSeconds`;
  const end = () => stop.abort(failure("rate_limited", message));
  const timer = setTimeout(end, Math.max(0, remainingMs - RESERVE_MS));
  return { signal: stop.signal, clear: () => clearTimeout(timer) };
}
