import type { Json } from "../../domain/json.ts";
import type { Limits } from "../../domain/limits.ts";
import { type Failure, failure } from "../../domain/run/failure.ts";
import type {
  CallAnswer,
  CheckReport,
  CheckTask,
  FromChild,
  RunReport,
  RunTask,
  TaskHost,
} from "../isolation.ts";
import { watchCheck, watchRun } from "../task-clock.ts";
import type { ChildHandle, Exit } from "./child-handle.ts";
import { explainExit, explainViolation, withPlace } from "./explain-failure.ts";
import type { MemorySampler } from "./memory-sampler.ts";

const MB = 1024 * 1024;

type End =
  | { readonly kind: "answered"; readonly result: Json }
  | { readonly kind: "failed"; readonly failure: Failure; readonly isForeignDeath: boolean };

interface ChildRun {
  readonly child: ChildHandle;
  readonly startupMs: number;
  readonly sampler: MemorySampler;
  readonly mapStack: (stack: string) => string;
  /** Ends or keeps the child once the run has ended; afterwards its output is complete. */
  readonly release: (end: "answered" | "failed" | "stuck") => Promise<void>;
}

/** Runs one agent in one child, from the first message to the last; the parent alone decides when it is over. */
export async function runInChild(
  run: ChildRun,
  task: RunTask,
  limits: Limits,
  host: TaskHost,
): Promise<RunReport> {
  const { child } = run;
  const { promise, resolve: end } = Promise.withResolvers<End>();
  const fail = (why: Failure) => end({ kind: "failed", failure: why, isForeignDeath: false });
  const calls = serveCalls(child, host);
  const stopWatch = watchRun(host, limits, fail);
  const unwatch = watchMemory(run, limits, fail);
  child.listen({
    message: (message) => hear(message, { host, calls, end, mapStack: run.mapStack }),
    violated: (violation) => fail(explainViolation("the agent", violation)),
    printed: (bytes) => {
      if (bytes > limits.outputKb * 1024)
        fail(failure("limit", `printed more than limits.outputKb (${limits.outputKb} KB)`));
    },
    exited: (exit) => end(explain(exit, child)),
  });
  if (child.spec.pass !== null) host.serveToken(child.spec.pass.token);
  const gateway = child.spec.pass?.access ?? null;
  child.send({ kind: "run", task, maxResultBytes: limits.resultKb * 1024, gateway });
  const outcome = checkSize(await promise, limits);
  const times = stopWatch();
  unwatch();
  calls.dropAll();
  if (child.spec.pass !== null) await host.releaseToken(child.spec.pass.token);
  child.listen({ message: () => {}, violated: () => {}, printed: () => {}, exited: () => {} });
  await run.release(releaseAs(outcome, child));
  return {
    outcome: outcome.kind === "answered" ? outcome : { kind: "failed", failure: outcome.failure },
    isForeignDeath: outcome.kind === "failed" && outcome.isForeignDeath,
    ...times,
    startupMs: run.startupMs,
    pid: child.pid,
    stdout: child.stdout.captured(),
    stderr: child.stderr.captured(),
  };
}

function releaseAs(end: End, child: ChildHandle): "answered" | "failed" | "stuck" {
  if (end.kind === "answered") return "answered";
  return child.exit === null && end.failure.cause !== "agent_error" && end.failure.cause !== "no_answer"
    ? "stuck"
    : "failed";
}

interface Hearing {
  readonly host: TaskHost;
  readonly calls: CallServer;
  readonly end: (end: End) => void;
  readonly mapStack: (stack: string) => string;
}

function hear(message: FromChild, { host, calls, end, mapStack }: Hearing): void {
  switch (message.kind) {
    case "call":
    case "drop_call":
      return calls.hear(message);
    case "step":
      return host.step(message.step);
    case "usage":
      return host.usage(message.usage, message.model);
    case "answered":
      return end({ kind: "answered", result: message.result });
    case "failed":
      return end({
        kind: "failed",
        failure: failure(message.cause, withPlace(message.message, mapStack(message.stack))),
        isForeignDeath: false,
      });
    case "ready":
    case "unready":
    case "verdict":
    case "check_failed":
    case "compiled":
      return; // Says nothing about how this run ends.
    default:
      return message satisfies never;
  }
}

function watchMemory({ child, sampler }: ChildRun, limits: Limits, fail: (why: Failure) => void): () => void {
  if (child.pid === null) return () => {};
  const message = (bytes: number) =>
    `used ${Math.round(bytes / MB)} MB, more than limits.memoryMb (${limits.memoryMb}); raise it if the agent needs more`;
  return sampler.watch({
    pid: child.pid,
    marker: child.spec.marker,
    maxBytes: limits.memoryMb * MB,
    withGroup: child.spec.maySpawn,
    onExceeded: (bytes) => fail(failure("out_of_memory", message(bytes))),
  });
}

function explain(exit: Exit, child: ChildHandle): End {
  const { head, tail } = child.stderr.captured();
  const why = explainExit(exit, head + tail);
  return { kind: "failed", failure: why, isForeignDeath: exit.signal !== null && why.cause === "crashed" };
}

/** The child measures its result before it sends it; a child that lies is measured here. */
function checkSize(end: End, limits: Limits): End {
  if (end.kind === "failed") return end;
  const bytes = Buffer.byteLength(JSON.stringify(end.result));
  if (bytes <= limits.resultKb * 1024) return end;
  return {
    kind: "failed",
    failure: failure("limit", tooLarge(bytes, limits.resultKb)),
    isForeignDeath: false,
  };
}

const tooLarge = (bytes: number, resultKb: number): string =>
  `the result has ${Math.ceil(bytes / 1024)} KB, more than limits.resultKb (${resultKb})`;

interface CallServer {
  hear(message: Extract<FromChild, { kind: "call" | "drop_call" }>): void;
  /** Nobody waits for the answers any more. */
  dropAll(): void;
}

/** Takes a child's model calls to the host and the answers back. */
function serveCalls(child: ChildHandle, host: TaskHost): CallServer {
  const pending = new Map<number, AbortController>();
  const drop = (id: number) => pending.get(id)?.abort(new Error("the agent dropped the call"));
  return {
    hear(message) {
      if (message.kind === "drop_call") return drop(message.id);
      const { id, providerKey, request } = message;
      const stop = new AbortController();
      pending.set(id, stop);
      // Nobody waits for this promise, so what it rejects with would end the evaluation.
      const answered = host.call(providerKey, request, stop.signal).catch(asFailed);
      void answered.then((answer) => {
        pending.delete(id);
        child.send({ kind: "answer", id, answer });
      });
    },
    dropAll() {
      for (const id of pending.keys()) drop(id);
    },
  };
}

const asFailed = (error: unknown): CallAnswer => ({
  kind: "failed",
  code: "agent_error",
  message: `the model call could not be made: ${String(error)}`,
});

/** Makes one check in a checker's process; a checker that throws, hangs or dies is reported, never counted as a wrong answer. */
export async function checkInChild(
  child: ChildHandle,
  task: CheckTask,
  limits: Limits,
  host: TaskHost,
  mapStack: (stack: string) => string,
): Promise<{ report: CheckReport; isReusable: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ report: CheckReport; isReusable: boolean }>();
  const fail = (message: string, isReusable = false) =>
    resolve({ report: { kind: "failed", message }, isReusable });
  child.beginTask();
  const calls = serveCalls(child, host);
  const stopWatch = watchCheck(host, limits, fail);
  const hear = (message: FromChild): void => {
    switch (message.kind) {
      case "call":
      case "drop_call":
        return calls.hear(message);
      case "usage":
        return host.usage(message.usage, message.model);
      case "verdict":
        return resolve({ report: message, isReusable: true });
      case "check_failed":
        return fail(withPlace(message.message, mapStack(message.stack)), true);
      case "ready":
      case "unready":
      case "step":
      case "answered":
      case "failed":
      case "compiled":
        return; // Says nothing about how this check ends.
      default:
        return message satisfies never;
    }
  };
  child.listen({
    message: hear,
    violated: (violation) => fail(explainViolation("the checker", violation).message),
    printed: (bytes) => {
      if (bytes > limits.outputKb * 1024)
        fail(`the checker printed more than limits.outputKb (${limits.outputKb} KB)`);
    },
    exited: (exit) => fail(`while checking: ${explainExit(exit, child.stderr.captured().head).message}`),
  });
  if (child.spec.pass !== null) host.serveToken(child.spec.pass.token);
  child.send({ kind: "check", task });
  const result = await promise;
  stopWatch();
  calls.dropAll();
  if (child.spec.pass !== null) await host.releaseToken(child.spec.pass.token);
  child.listen(null);
  return result;
}
