import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { GatewayPass } from "../domain/gateway-access.ts";
import type { Json } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import { failure } from "../domain/run/failure.ts";
import { NO_OUTPUT } from "../domain/run/log-entry.ts";
import type {
  CallLink,
  CheckReport,
  CheckTask,
  Isolation,
  RunReport,
  RunResponse,
  RunTask,
  TaskHost,
  TaskServer,
} from "./isolation.ts";
import { makeTempRoot } from "./parent/temp-root.ts";
import { watchCheck, watchRun } from "./task-clock.ts";

/** Make passes to the gateway for runs and for checks, where these have one. */
interface Passes {
  readonly runs?: (() => GatewayPass) | undefined;
  readonly checks?: (() => GatewayPass) | undefined;
}

/**
 * Runs in this very process, for debugging and for code that cannot be bundled: an agent is asked to stop when its
 * time is up and then left alone; its memory and output are not watched, module state is shared by all runs, and so is
 * the environment: a pass to the gateway is in the run's context alone.
 */
export class InProcessIsolation implements Isolation {
  readonly #server: TaskServer;
  readonly #passes: Passes;
  #tempRoot: string | undefined;
  #runs = 0;

  constructor(server: TaskServer, passes: Passes = {}) {
    this.#server = server;
    this.#passes = passes;
  }

  expect(): void {}

  async run(task: RunTask, limits: Limits, host: TaskHost): Promise<RunReport> {
    this.#tempRoot ??= makeTempRoot();
    const tempFolder = join(this.#tempRoot, String(++this.#runs));
    mkdirSync(tempFolder);
    const stop = new AbortController();
    const { promise: stopped, resolve: fail } = Promise.withResolvers<RunReport["outcome"]>();
    const stopWatch = watchRun(host, limits, (why) => {
      stop.abort(new Error(why.message));
      fail({ kind: "failed", failure: why });
    });
    const pass = this.#passes.runs?.() ?? null;
    const link = { ...linkTo(host, stop.signal, pass), tempFolder, step: host.step.bind(host) };
    const served = this.#server.run(task, limits.resultKb * 1024, link);
    const outcome = await Promise.race([stopped, served.then((answer) => toOutcome(answer))]);
    const times = stopWatch();
    if (pass !== null) await host.releaseToken(pass.token);
    rmSync(tempFolder, { recursive: true, force: true });
    const own = {
      isForeignDeath: false,
      startupMs: 0,
      pid: process.pid,
      stdout: NO_OUTPUT,
      stderr: NO_OUTPUT,
    };
    return { outcome, ...own, ...times };
  }

  async check(task: CheckTask, limits: Limits, host: TaskHost): Promise<CheckReport> {
    const stop = new AbortController();
    const { promise: stopped, resolve: fail } = Promise.withResolvers<CheckReport>();
    const stopWatch = watchCheck(host, limits, ({ message }) => {
      stop.abort(new Error(message));
      fail({ kind: "failed", message });
    });
    const pass = this.#passes.checks?.() ?? null;
    const link = linkTo(host, stop.signal, pass);
    const answer = await Promise.race([stopped, this.#server.check(task, link)]);
    stopWatch();
    if (pass !== null) await host.releaseToken(pass.token);
    return answer.kind === "check_failed" ? { kind: "failed", message: answer.message } : answer;
  }

  async close(): Promise<void> {
    if (this.#tempRoot !== undefined) rmSync(this.#tempRoot, { recursive: true, force: true });
  }
}

function linkTo(host: TaskHost, stop: AbortSignal, pass: GatewayPass | null): CallLink {
  if (pass !== null) host.serveToken(pass.token);
  return {
    signal: stop,
    gateway: pass?.access ?? null,
    call: (providerKey, request, signal) => host.call(providerKey, request, AbortSignal.any([signal, stop])),
    usage: (usage, model) => host.usage(usage, model),
  };
}

const toOutcome = (answer: RunResponse): RunReport["outcome"] =>
  answer.kind === "answered"
    ? { kind: "answered", result: JSON.parse(answer.resultText) as Json }
    : { kind: "failed", failure: failure(answer.cause, answer.message) };
