import type { Limits } from "../domain/limits.ts";
import { type Failure, failure } from "../domain/run/failure.ts";
import type { TaskHost } from "./isolation.ts";

/** Stops the watch over a task, and says for how many whole milliseconds it worked and waited. */
export type StopWatch = () => { readonly runtimeMs: number; readonly waitMs: number };

/** Fails a run when its working time is up, which stands still while it waits for a rate limit, or when the host ends it. */
export function watchRun(
  host: TaskHost,
  { timeoutSeconds }: Limits,
  fail: (why: Failure) => void,
): StopWatch {
  const startedAt = performance.now();
  let workedMs = 0;
  let workingSince = startedAt;
  let timer: NodeJS.Timeout | null = null;
  const late = () => fail(failure("timeout", `no answer within ${timeoutSeconds} s of working time`));
  const ended = () => fail(asFailure(host.signal.reason));
  const work = () => {
    if (timer !== null) return;
    workingSince = performance.now();
    timer = setTimeout(late, Math.max(0, timeoutSeconds * 1_000 - workedMs));
  };
  const pause = () => {
    if (timer === null) return;
    workedMs += performance.now() - workingSince;
    clearTimeout(timer);
    timer = null;
  };
  host.onWaiting((isWaiting) => (isWaiting ? pause() : work()));
  host.signal.addEventListener("abort", ended, { once: true });
  if (host.signal.aborted) ended();
  work();
  return () => {
    pause();
    host.onWaiting(() => {});
    host.signal.removeEventListener("abort", ended);
    const runtimeMs = Math.round(workedMs);
    return { runtimeMs, waitMs: Math.max(0, Math.round(performance.now() - startedAt) - runtimeMs) };
  };
}

/** The same for a check, which speaks of the checker. */
export const watchCheck: typeof watchRun = (host, limits, fail) =>
  watchRun(host, limits, (why) => fail(ofCheck(why, limits)));

function ofCheck({ cause, message }: Failure, { timeoutSeconds }: Limits): Failure {
  switch (cause) {
    case "timeout":
      return failure("checker_error", `the checker gave no verdict within ${timeoutSeconds} s`);
    case "limit":
      return failure("checker_error", `while checking: ${message}`);
    default:
      return failure("cancelled", "the evaluation was cancelled while the checker ran");
  }
}

const asFailure = (reason: unknown): Failure =>
  reason !== null && typeof reason === "object" && "cause" in reason && "fault" in reason
    ? (reason as Failure)
    : failure("cancelled", "the evaluation was cancelled");
