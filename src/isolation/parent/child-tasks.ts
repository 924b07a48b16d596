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
  ToChild,
} from "../isolation.ts";
import { type StopWatch, watchCheck, watchRun } from "../task-clock.ts";
import type { ChildHandle } from "./child-handle.ts";
import { explainExit, explainThrown, explainViolation, isForeignDeath } from "./explain-failure.ts";
import type { UseSampler } from "./use-sampler.ts";

const MB = 1024 * 1024;

/** A child that is about to get a task, and who the task is for. */
export interface ChildTask {
  readonly child: ChildHandle;
  readonly limits: Limits;
  readonly host: TaskHost;
  readonly sampler: UseSampler;
  readonly mapStack: (stack: string) => string;
}

interface ChildRun extends ChildTask {
  readonly startupMs: number;
  /** Ends or keeps the child once the run has ended; afterwards its output is complete. */
  readonly release: (end: "answered" | "failed" | "stuck") => Promise<void>;
}

/** Runs one agent in one child, from the first message to the last; the parent alone decides when it is over. */
export async function runInChild(run: ChildRun, task: RunTask): Promise<RunReport> {
  const { child, limits, startupMs } = run;
  const { end, times } = await converse(run, {
    message: {
      ...{ kind: "run", task, maxResultBytes: limits.resultKb * 1024 },
      gateway: child.spec.pass?.access ?? null,
    },
    who: "the agent",
    watch: watchRun,
    isAnswer: (message) => message.kind === "answered" || message.kind === "failed",
  });
  child.listen({ message: () => {}, violated: () => {}, printed: () => {}, exited: () => {} });
  const outcome = outcomeOf(end, run);
  await run.release(releaseAs(outcome, child));
  return {
    ...{ outcome, ...times, startupMs, pid: child.pid },
    isForeignDeath: end.kind === "ended" && end.isForeignDeath,
    stdout: child.stdout.captured(),
    stderr: child.stderr.captured(),
  };
}

function releaseAs(end: RunReport["outcome"], child: ChildHandle): "answered" | "failed" | "stuck" {
  if (end.kind === "answered") return "answered";
  return child.exit === null && end.failure.cause !== "agent_error" && end.failure.cause !== "no_answer"
    ? "stuck"
    : "failed";
}

/** The child measures its result before it sends it; a child that lies is measured here. */
function outcomeOf(
  end: End<Extract<FromChild, { kind: "answered" | "failed" }>>,
  { child: { spec }, mapStack, limits: { resultKb } }: ChildTask,
): RunReport["outcome"] {
  if (end.kind === "ended") return { kind: "failed", failure: end.failure };
  if (end.kind === "failed")
    return { kind: "failed", failure: failure(end.cause, explainThrown(end, { ...spec, mapStack })) };
  const bytes = Buffer.byteLength(JSON.stringify(end.result));
  if (bytes <= resultKb * 1024) return end;
  const message = `the result has ${Math.ceil(bytes / 1024)} KB, more than limits.resultKb (${resultKb})`;
  return { kind: "failed", failure: failure("limit", message) };
}

/** Makes one check in a checker's process; a checker that throws, hangs or dies is reported, never counted as a wrong answer. */
export async function checkInChild(
  checker: ChildTask,
  task: CheckTask,
): Promise<{ report: CheckReport; isReusable: boolean; isForeignDeath: boolean }> {
  const { end } = await converse(checker, {
    message: { kind: "check", task, gateway: checker.child.spec.pass?.access ?? null },
    who: "the checker",
    watch: watchCheck,
    isAnswer: (message) => message.kind === "verdict" || message.kind === "check_failed",
  });
  checker.child.listen(null);
  if (end.kind === "verdict") return { report: end, isReusable: true, isForeignDeath: false };
  const message =
    end.kind === "ended"
      ? end.failure.message
      : explainThrown(end, { ...checker.child.spec, mapStack: checker.mapStack });
  return {
    report: { kind: "failed", message },
    isReusable: end.kind === "check_failed",
    isForeignDeath: end.kind === "ended" && end.isForeignDeath,
  };
}

/** How a task ended: with a last word of its child's, or without one. */
type End<Answer> =
  | Answer
  | { readonly kind: "ended"; readonly failure: Failure; readonly isForeignDeath: boolean };

interface Conversation<Answer extends FromChild> {
  readonly message: ToChild;
  readonly who: "the agent" | "the checker";
  readonly watch: typeof watchRun;
  readonly isAnswer: (message: FromChild) => message is Answer;
}

/** Gives a child its task, and holds it to the limits until it has answered or has to end. */
async function converse<Answer extends FromChild>(
  { child, limits, host, sampler }: ChildTask,
  { message: task, who, watch, isAnswer }: Conversation<Answer>,
): Promise<{ end: End<Answer>; times: ReturnType<StopWatch> }> {
  const { promise, resolve } = Promise.withResolvers<End<Answer>>();
  const fail = (why: Failure, isForeign = false) =>
    resolve({ kind: "ended", failure: why, isForeignDeath: isForeign });
  child.beginTask();
  const calls = serveCalls(child, host);
  const stopWatch = watch(host, limits, fail);
  const { pid, spec } = child;
  const tooMuch = (used: string, limit: "memoryMb" | "diskMb") =>
    `${used}, more than limits.${limit} (${limits[limit]}); raise it if ${who} needs more`;
  const megabytes = (bytes: number) => `${Math.round(bytes / MB)} MB`;
  const unwatch = sampler.watch(pid, {
    marker: spec.marker,
    withGroup: spec.maySpawn,
    maxBytes: limits.memoryMb * MB,
    onExceeded: (bytes) => fail(failure("out_of_memory", tooMuch(`used ${megabytes(bytes)}`, "memoryMb"))),
    tempFolder: spec.tempFolder,
    maxDiskBytes: limits.diskMb * MB,
    onDiskExceeded: (bytes) =>
      fail(failure("limit", tooMuch(`${who} keeps ${megabytes(bytes)} in its temp folder`, "diskMb"))),
  });
  child.listen({
    message: (message) => {
      if (isAnswer(message)) resolve(message);
      else hear(message, calls, host);
    },
    violated: (violation) => fail(explainViolation(who, violation)),
    printed: (bytes) => {
      if (bytes > limits.outputKb * 1024)
        fail(failure("limit", `${who} printed more than limits.outputKb (${limits.outputKb} KB)`));
    },
    exited: (exit) => {
      const { head, tail } = child.stderr.captured();
      const why = explainExit(who, exit, head + tail);
      fail(why, isForeignDeath(exit, why));
    },
  });
  if (spec.pass !== null) host.serveToken(spec.pass.token);
  child.send(task);
  const end = await promise;
  const times = stopWatch();
  unwatch();
  calls.dropAll();
  if (spec.pass !== null) await host.releaseToken(spec.pass.token);
  return { end, times };
}

/** Hears what a child says while its task is under way; an answer of another task says nothing. */
function hear(message: FromChild, calls: CallServer, host: TaskHost): void {
  switch (message.kind) {
    case "call":
    case "drop_call":
      return calls.hear(message);
    case "step":
      return host.step(message.step);
    case "usage":
      return host.usage(message.usage, message.model);
    case "answered":
    case "failed":
    case "verdict":
    case "check_failed":
    case "ready":
    case "unready":
    case "compiled":
    case "evaluates":
    case "definition":
    case "problems":
      return;
    default:
      return message satisfies never;
  }
}

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
