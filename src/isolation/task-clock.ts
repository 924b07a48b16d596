import type { Limits } from "../domain/limits.ts";
import { type Failure, failure } from "../domain/run/failure.ts";
import type { TaskHost } from "./isolation.ts";

/** Watches over one task's time until it is stopped; then it says how long the task worked and waited. */
type TaskWatch = () => { readonly runtimeMs: number; readonly waitMs: number };

/** Fails a run when its working time is up, or when the host ends it. */
export const watchRun = (host: TaskHost, limits: Limits, fail: (why: Failure) => void): TaskWatch =>
  watchTask(host, limits, {
    late: () => fail(failure("timeout", `no answer within ${limits.timeoutSeconds} s of working time`)),
    ended: () => fail(asFailure(host.signal.reason)),
  });

/** The same for a check, which fails with a message alone. */
export const watchCheck = (host: TaskHost, limits: Limits, fail: (message: string) => void): TaskWatch =>
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

function watchTask(host: TaskHost, { timeoutSeconds }: Limits, { late, ended }: Ends): TaskWatch {
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

/** Counts working time: it stands still while the run waits for a rate limit, and rings once when time is up. */
class WorkClock {
  readonly #limitMs: number;
  readonly #ring: () => void;
  readonly #startedAt = performance.now();
  #workedMs = 0;
  #workingSince: number | null = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #stoppedAt: number | null = null;

  constructor(limitMs: number, ring: () => void) {
    this.#limitMs = limitMs;
    this.#ring = ring;
    this.#arm();
  }

  setWaiting(isWaiting: boolean): void {
    if (this.#stoppedAt !== null || isWaiting === (this.#workingSince === null)) return;
    if (isWaiting) return this.#pause();
    this.#workingSince = performance.now();
    this.#arm();
  }

  stop(): void {
    if (this.#stoppedAt !== null) return;
    if (this.#workingSince !== null) this.#pause();
    clearTimeout(this.#timer);
    this.#stoppedAt = performance.now();
  }

  /** Whole milliseconds, read after `stop`. */
  times(): { runtimeMs: number; waitMs: number } {
    const runtimeMs = Math.round(this.#workedMs);
    const allMs = Math.round((this.#stoppedAt ?? performance.now()) - this.#startedAt);
    return { runtimeMs, waitMs: Math.max(0, allMs - runtimeMs) };
  }

  #pause(): void {
    this.#workedMs += performance.now() - (this.#workingSince ?? performance.now());
    this.#workingSince = null;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    this.#timer = setTimeout(this.#ring, Math.max(0, this.#limitMs - this.#workedMs));
  }
}
