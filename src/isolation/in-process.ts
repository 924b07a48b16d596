import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Failure, failure } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import { NO_OUTPUT } from "../domain/run-body.ts";
import type { CheckReport, CheckTask, Host, Isolation, RunReport, RunTask } from "./contract.ts";
import type { ReportedStep, ReportedUsage } from "./messages.ts";
import type { TaskServer } from "./task-server.ts";
import { WorkClock } from "./work-clock.ts";

/**
 * Runs in this very process, for debugging and for code that cannot be bundled: an agent is asked to stop when its
 * time is up and then left alone; its memory and output are not watched, and module state is shared by all runs.
 */
export class InProcessIsolation implements Isolation {
  readonly #server: TaskServer;

  constructor(server: TaskServer) {
    this.#server = server;
  }

  expect(): void {}

  async run(task: RunTask, limits: Limits, host: Host): Promise<RunReport> {
    const tempFolder = realpathSync(mkdtempSync(join(tmpdir(), "agent-evaluator-")));
    const stop = new AbortController();
    const { promise: stopped, resolve: fail } = Promise.withResolvers<RunReport["outcome"]>();
    const end = (why: Failure) => {
      stop.abort(new Error(why.message));
      fail({ kind: "failed", failure: why });
    };
    const clock = new WorkClock(limits.timeoutSeconds * 1_000, () =>
      end(failure("timeout", `no answer within ${limits.timeoutSeconds} s of working time`)),
    );
    host.onWaiting((isWaiting) => clock.setWaiting(isWaiting));
    const onAbort = () => end(host.signal.reason as Failure);
    host.signal.addEventListener("abort", onAbort, { once: true });
    if (host.signal.aborted) onAbort();
    const link = {
      signal: stop.signal,
      tempFolder,
      call: (providerKey: string, request: Json, signal: AbortSignal) =>
        host.call(providerKey, request, AbortSignal.any([signal, stop.signal])),
      step: (step: ReportedStep) => host.step(step),
      usage: (usage: ReportedUsage) => host.usage(usage),
    };
    const served = this.#server.run(task, limits.resultKb * 1024, link);
    const outcome = await Promise.race([stopped, served.then((answer) => toOutcome(answer))]);
    clock.stop();
    host.signal.removeEventListener("abort", onAbort);
    rmSync(tempFolder, { recursive: true, force: true });
    const own = {
      isForeignDeath: false,
      startupMs: 0,
      pid: process.pid,
      stdout: NO_OUTPUT,
      stderr: NO_OUTPUT,
    };
    return { outcome, ...own, ...clock.times() };
  }

  async check(task: CheckTask, limits: Limits, host: Host): Promise<CheckReport> {
    const timeout = AbortSignal.timeout(limits.timeoutSeconds * 1_000);
    const signal = AbortSignal.any([timeout, host.signal]);
    const late = new Promise<CheckReport>((resolve) => {
      const why = () =>
        resolve({
          kind: "failed",
          message: timeout.aborted
            ? `the checker gave no verdict within ${limits.timeoutSeconds} s`
            : "the evaluation was cancelled while the checker ran",
        });
      signal.addEventListener("abort", why, { once: true });
    });
    const call = (providerKey: string, request: Json, inner: AbortSignal) =>
      host.call(providerKey, request, AbortSignal.any([inner, signal]));
    const answer = this.#server.check(task, { signal, call });
    return Promise.race([
      late,
      answer.then((said) =>
        said.kind === "verdict" ? said : { kind: "failed" as const, message: said.message },
      ),
    ]);
  }

  async close(): Promise<void> {}
}

type Answer = Awaited<ReturnType<TaskServer["run"]>>;

function toOutcome(answer: Answer): RunReport["outcome"] {
  if (answer.kind === "answered") return { kind: "answered", result: JSON.parse(answer.resultText) as Json };
  return { kind: "failed", failure: failure(answer.cause, answer.message) };
}
