import { availableParallelism } from "node:os";
import type { Limits } from "../../domain/limits.ts";
import type { CheckReport, CheckTask, Isolation, RunReport, RunTask, TaskHost } from "../isolation.ts";
import { type Boot, bootChild, keepCompiled } from "./boot-child.ts";
import type { ChildHandle } from "./child-handle.ts";
import { ChildProcesses, type ChildProcessesSpec } from "./child-processes.ts";
import { type ChildTask, checkInChild, runInChild } from "./child-tasks.ts";
import { UseSampler } from "./use-sampler.ts";

/** A process that serves one run after another is replaced after so many. */
const POOL_RUNS_PER_PROCESS = 200;
const MAX_SPARES = 8;
/** About what it takes to start a process on a busy machine. */
const CHECKER_WAIT_MS = 100;
/** Within it timers that were due while all was frozen have fired. */
const THAW_MS = 1_000;

interface ProcessIsolationSpec extends ChildProcessesSpec {
  /** "pool" reuses a process for one run after another; "process" never does. */
  readonly kind: "process" | "pool";
  readonly concurrency: number;
  readonly mapStack: (stack: string) => string;
}

/** Every run in a child process, fresh or pooled; checks in processes of their own, which agents never enter. */
export class ProcessIsolation implements Isolation {
  readonly #spec: ProcessIsolationSpec;
  readonly #processes: ChildProcesses;
  readonly #sampler = new UseSampler();
  readonly #bootInTurn = limitParallel(availableParallelism());
  readonly #spares: Promise<Boot>[] = [];
  readonly #idle = new IdleChildren((dead) => void this.#processes.end(dead, "at-once"));
  readonly #checkers = new IdleChildren((dead) => void this.#endChecker(dead));
  #checkersStarted = 0;
  readonly #runsServed = new WeakMap<ChildHandle, number>();
  #toCome = 0;
  #keeping: Promise<void> | null = null;

  constructor(spec: ProcessIsolationSpec) {
    this.#spec = spec;
    this.#processes = new ChildProcesses(spec);
  }

  expect(runs: number): void {
    this.#toCome = runs;
  }

  async run(task: RunTask, limits: Limits, host: TaskHost): Promise<RunReport> {
    const startedAt = performance.now();
    this.#toCome--;
    const taking = this.#takeForRun();
    // Booted beside the first run, so that its result need not wait for a checker.
    if (this.#checkersStarted === 0) void this.#bootChecker().then((ready) => this.#keepChecker(ready));
    const boot = await taking;
    const startupMs = Math.round(performance.now() - startedAt);
    if (boot.kind === "failed") return this.#reportFailedBoot(boot, startupMs);
    const release = (end: "answered" | "failed" | "stuck") => this.#release(boot.child, end);
    return runInChild({ ...this.#task(boot.child, limits, host), startupMs, release }, task);
  }

  /** A checker that somebody else killed has said nothing about the result, so it is asked once more. */
  async check(task: CheckTask, limits: Limits, host: TaskHost): Promise<CheckReport> {
    const first = await this.#checkOnce(task, limits, host);
    if (!first.isForeignDeath || host.signal.aborted) return first.report;
    return (await this.#checkOnce(task, limits, host)).report;
  }

  async #checkOnce(task: CheckTask, limits: Limits, host: TaskHost) {
    const boot = await this.#takeChecker();
    if (boot.kind === "failed") {
      await this.#keepChecker(boot);
      const report = { kind: "failed", message: boot.failure.message } as const;
      return { report, isForeignDeath: boot.isForeignDeath };
    }
    const { report, isReusable, isForeignDeath } = await checkInChild(
      this.#task(boot.child, limits, host),
      task,
    );
    if (isReusable) void this.#putBackChecker(boot.child);
    else await this.#endChecker(boot.child);
    return { report, isForeignDeath };
  }

  #task(child: ChildHandle, limits: Limits, host: TaskHost): ChildTask {
    return { child, limits, host, sampler: this.#sampler, mapStack: this.#spec.mapStack };
  }

  async #putBackChecker(checker: ChildHandle): Promise<void> {
    const isFirst = this.#keeping === null;
    this.#keeping ??= keepCompiled(checker, this.#spec.bundle);
    if (isFirst) await this.#keeping;
    if (checker.hasCleanFolder()) this.#checkers.put(checker);
    else await this.#endChecker(checker);
  }

  /** The processes that wait for runs and checks to come. */
  pids(): number[] {
    return this.#processes.pids();
  }

  async close(): Promise<void> {
    await this.#keeping;
    await this.#processes.close();
  }

  async #takeForRun(): Promise<Boot> {
    const idle = this.#idle.take();
    if (idle !== null) return { kind: "ready", child: idle };
    const spare = this.#spares.shift();
    const boot = spare ?? this.#boot("run");
    this.warmUp();
    return spare === undefined ? boot : this.#unlessStale(spare);
  }

  /** The time of a spare may have passed while all was frozen, as between invocations of a Lambda; no run's fault. */
  async #unlessStale(spare: Promise<Boot>): Promise<Boot> {
    const askedAt = performance.now();
    const boot = await spare;
    const isStale = boot.kind === "failed" && boot.isLate;
    if (!isStale || performance.now() - askedAt > THAW_MS) return boot;
    await this.#processes.end(boot.child, "at-once");
    return this.#boot("run");
  }

  /** Boots the next processes before their runs, while others wait for their models. */
  warmUp(): void {
    if (this.#spec.kind === "pool") return;
    const wanted = Math.min(this.#toCome, MAX_SPARES, Math.max(1, Math.ceil(this.#spec.concurrency / 2)));
    while (this.#spares.length < wanted) this.#spares.push(this.#boot("run"));
  }

  /** Most checks take no time, so a few processes serve many runs; slow ones get processes of their own. */
  async #takeChecker(): Promise<Boot> {
    const waitMs = this.#checkersStarted === 0 ? 0 : CHECKER_WAIT_MS;
    const child = await this.#checkers.takeWithin(waitMs);
    return child === null ? this.#bootChecker() : { kind: "ready", child };
  }

  #bootChecker(): Promise<Boot> {
    this.#checkersStarted++;
    return this.#boot("check");
  }

  async #keepChecker(boot: Boot): Promise<void> {
    if (boot.kind === "ready") this.#checkers.put(boot.child);
    else await this.#endChecker(boot.child);
  }

  async #endChecker(child: ChildHandle): Promise<void> {
    this.#checkersStarted--;
    await this.#processes.end(child, "at-once");
  }

  #boot(purpose: "run" | "check"): Promise<Boot> {
    const timeoutMs = this.#spec.limits.timeoutSeconds * 1_000;
    return this.#bootInTurn(() => bootChild(this.#processes.start(purpose), timeoutMs, this.#spec.mapStack));
  }

  async #release(child: ChildHandle, end: "answered" | "failed" | "stuck"): Promise<void> {
    const served = (this.#runsServed.get(child) ?? 0) + 1;
    this.#runsServed.set(child, served);
    const isOfUse = this.#spec.kind === "pool" && end === "answered" && served < POOL_RUNS_PER_PROCESS;
    if (!isOfUse || !child.hasCleanFolder())
      return this.#processes.end(child, end === "stuck" ? "polite" : "at-once");
    await child.drainOutput();
    child.listen(null);
    this.#idle.put(child);
  }

  async #reportFailedBoot(boot: Extract<Boot, { kind: "failed" }>, startupMs: number): Promise<RunReport> {
    await this.#processes.end(boot.child, "at-once");
    return {
      outcome: { kind: "failed", failure: boot.failure },
      isForeignDeath: boot.isForeignDeath,
      runtimeMs: 0,
      startupMs,
      waitMs: 0,
      pid: boot.child.pid,
      stdout: boot.child.stdout.captured(),
      stderr: boot.child.stderr.captured(),
    };
  }
}

/** At most `limit` of the given jobs at a time, first come first served. */
function limitParallel(limit: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let active = 0;
  return async (job) => {
    if (active >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else active++;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) active--;
      else next();
    }
  };
}

/** Children that wait for their next task, and tasks that wait a little for such a child. */
class IdleChildren {
  readonly #idle: ChildHandle[] = [];
  readonly #waiting: ((child: ChildHandle | null) => void)[] = [];
  readonly #bury: (dead: ChildHandle) => void;

  constructor(bury: (dead: ChildHandle) => void) {
    this.#bury = bury;
  }

  put(child: ChildHandle): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#idle.push(child);
    else waiting(child);
  }

  /** An idle child may have died since; then the next one serves. */
  take(): ChildHandle | null {
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) {
      if (child.exit === null) return child;
      this.#bury(child);
    }
    return null;
  }

  /** The next child that becomes idle, unless that takes longer than starting one would. */
  async takeWithin(waitMs: number): Promise<ChildHandle | null> {
    const child = this.take();
    if (child !== null) return child;
    const { promise, resolve } = Promise.withResolvers<ChildHandle | null>();
    this.#waiting.push(resolve);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      resolve(null);
    }, waitMs);
    return promise.finally(() => clearTimeout(timer));
  }
}
