import { type Failure, failure } from "../domain/failure.ts";
import type { Limits } from "../domain/limits.ts";
import type { Host } from "./contract.ts";
import { WorkClock } from "./work-clock.ts";

/** Watches over one task's time until it is stopped; then it says how long the task worked and waited. */
export type TaskWatch = () => { readonly runtimeMs: number; readonly waitMs: number };

/** Fails a run when its working time is up, or when the host ends it. */
export const watchRun = (host: Host, limits: Limits, fail: (why: Failure) => void): TaskWatch =>
  watchTask(host, limits, {
    late: () => fail(failure("timeout", `no answer within ${limits.timeoutSeconds} s of working time`)),
    ended: () => fail(asFailure(host.signal.reason)),
  });

/** The same for a check, which fails with a message alone. */
export const watchCheck = (host: Host, limits: Limits, fail: (message: string) => void): TaskWatch =>
  watchTask(host, limits, {
    late: () => fail(`the checker gave no verdict within ${limits.timeoutSeconds} s`),
    ended: () => {
      const { cause, message } = asFailure(host.signal.reason);
      fail(
        cause === "limit"
          ? `while checking: ${message}`
          : "the evaluation was cancelled while the checker ran",
      );
    },
  });

interface Ends {
  readonly late: () => void;
  readonly ended: () => void;
}

function watchTask(host: Host, { timeoutSeconds }: Limits, { late, ended }: Ends): TaskWatch {
  const clock = new WorkClock(timeoutSeconds * 1_000, late);
  host.onWaiting((isWaiting) => clock.setWaiting(isWaiting));
  host.signal.addEventListener("abort", ended, { once: true });
  if (host.signal.aborted) ended();
  return () => {
    clock.stop();
    host.signal.removeEventListener("abort", ended);
    return clock.times();
  };
}

const asFailure = (reason: unknown): Failure =>
  reason !== null && typeof reason === "object" && "cause" in reason && "fault" in reason
    ? (reason as Failure)
    : failure("cancelled", "the evaluation was cancelled");
