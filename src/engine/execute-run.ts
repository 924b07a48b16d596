import type { Clock } from "../domain/clock.ts";
import { type Failure, failure } from "../domain/failure.ts";
import type { EvaluationId } from "../domain/ids.ts";
import type { Json } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import type { Attempt, LogEntry } from "../domain/log-entry.ts";
import type { Run } from "../domain/plan.ts";
import type { PriceList } from "../domain/price.ts";
import type { CapturedOutput, RunBody } from "../domain/run-body.ts";
import type { CheckReport, Isolation, RunReport, RunTask } from "../isolation/contract.ts";
import type { Gateway } from "../providers/gateway.ts";
import type { RunTokens } from "../providers/http-gateway-run.ts";
import { Meter } from "./meter.ts";
import { type Redaction, redactCheck, redactReport } from "./redaction.ts";
import { RunSession } from "./run-session.ts";
import { stopFailure } from "./stop-failure.ts";

/** A run gets another attempt only when its process died by a signal that was not ours. */
const MAX_ATTEMPTS = 2;
const OUTPUT_HEAD_CHARACTERS = 1_000;

export interface RunSpec {
  readonly evaluationId: EvaluationId;
  readonly round: number;
  readonly limits: Limits;
  readonly isolation: Isolation;
  readonly gateway: Gateway;
  /** Where agents that bring their own SDK call in; the definition's `gateway: true`. */
  readonly tokens?: RunTokens | undefined;
  readonly redaction: Redaction;
  readonly prices: PriceList;
  readonly clock: Clock;
  /** Ends the run, as cancelled or as the failure that it was aborted with. */
  readonly cancelled: AbortSignal;
  /** The definition brings its own providers, which fail in the run's process. */
  readonly hasOwnProviders: boolean;
}

export interface FinishedRun {
  readonly entry: LogEntry;
  readonly body: RunBody;
}

/** What of a log entry the checker decides. */
type Verdict = Pick<LogEntry, "correct" | "score" | "reason" | "failure" | "judgeUsage" | "judgeCostUsd">;

/** One run from start to log entry; exactly one entry, whatever happens. */
export async function executeRun(run: Run, spec: RunSpec): Promise<FinishedRun> {
  const startedAt = spec.clock.now();
  const attempts: Attempt[] = [];
  const meter = new Meter();
  await spec.prices.open(run.model);
  for (;;) {
    const session = newSession(run, spec, meter);
    const attemptStartedAt = spec.clock.now();
    const raw = await spec.isolation.run(taskOf(run), spec.limits, session);
    const report = redactReport(raw, spec.redaction);
    const failed = failureOf(report, session, spec);
    attempts.push(attemptOf(attempts.length + 1, attemptStartedAt, spec.clock.now(), failed));
    const mayRetry = report.isForeignDeath && attempts.length < MAX_ATTEMPTS && !spec.cancelled.aborted;
    if (mayRetry) {
      await session.close();
      continue;
    }
    const verdict = await judge(run, spec, session, report, failed);
    await session.close();
    const endedAt = spec.clock.now();
    return finish(run, spec, session, report, verdict, { startedAt, endedAt, attempts });
  }
}

const newSession = (run: Run, spec: RunSpec, meter: Meter): RunSession =>
  new RunSession({
    model: run.model,
    meter,
    limits: spec.limits,
    gateway: spec.gateway,
    tokens: spec.tokens ?? null,
    redaction: spec.redaction,
    prices: spec.prices,
    cancelled: spec.cancelled,
    nowMs: () => spec.clock.monotonicMs(),
  });

const taskOf = (run: Run): RunTask => ({
  runId: run.runId,
  providerKey: run.model.providerKey,
  model: run.model.model,
  problemId: run.problem.id,
  problem: run.problem.problem,
  trial: run.trial,
});

/** An agent cannot excuse itself with a model call that did not fail, and is excused where its own SDK's call did. */
function failureOf(report: RunReport, session: RunSession, spec: RunSpec): Failure | null {
  if (report.outcome.kind === "answered") return null;
  const { failure: failed } = report.outcome;
  if (failed.cause === "agent_error" && session.lastHttpFailure !== null) return session.lastHttpFailure;
  const blamesProvider = failed.cause === "provider_error" || failed.cause === "rate_limited";
  const isOurs = spec.cancelled.aborted && failed.message === stopFailure(spec.cancelled).message;
  if (!blamesProvider || isOurs || session.hasFailedCall || spec.hasOwnProviders) return failed;
  return failure("agent_error", failed.message);
}

const attemptOf = (number: number, startedAt: Date, endedAt: Date, failed: Failure | null): Attempt => ({
  number,
  startedAt: startedAt.toISOString(),
  endedAt: endedAt.toISOString(),
  cause: failed?.cause ?? null,
  message: failed?.message ?? null,
});

async function judge(
  run: Run,
  spec: RunSpec,
  session: RunSession,
  report: RunReport,
  failed: Failure | null,
): Promise<Verdict> {
  const unjudged = { correct: null, score: null, reason: null, judgeUsage: null, judgeCostUsd: null };
  if (report.outcome.kind === "failed") return { ...unjudged, failure: failed };
  const { problem, model } = run;
  const meter = new Meter();
  const checkSession = newSession(run, { ...spec, limits: withoutRunLimits(spec.limits) }, meter);
  const raw = await spec.isolation.check(
    {
      ...taskOf(run),
      result: report.outcome.result,
      expected: problem.expected,
      tags: problem.tags,
      transcript: session.transcript.steps(),
      model: model.model,
    },
    spec.limits,
    checkSession,
  );
  await checkSession.close();
  const checked = redactCheck(raw, spec.redaction);
  const used = { judgeUsage: meter.usage, judgeCostUsd: meter.costUsd };
  if (checked.kind === "verdict") return { ...pick(checked), ...used, failure: null };
  const isCancelled = spec.cancelled.aborted && stopFailure(spec.cancelled).cause === "cancelled";
  const cause = isCancelled ? "cancelled" : "checker_error";
  return { ...unjudged, ...used, failure: failure(cause, checked.message) };
}

/** What the agent may use says nothing about its judge. */
const withoutRunLimits = ({ maxTokens: _t, maxTurns: _n, maxCostUsd: _c, ...limits }: Limits): Limits =>
  limits;

const pick = ({ correct, score, reason }: Extract<CheckReport, { kind: "verdict" }>) => ({
  correct,
  score,
  reason,
});

interface Times {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly attempts: Attempt[];
}

function finish(
  run: Run,
  spec: RunSpec,
  session: RunSession,
  report: RunReport,
  verdict: Verdict,
  { startedAt, endedAt, attempts }: Times,
): FinishedRun {
  const result: Json | null = report.outcome.kind === "answered" ? report.outcome.result : null;
  const transcript = [...session.transcript.steps()];
  const entry: LogEntry = {
    v: 1,
    evaluationId: spec.evaluationId,
    runId: run.runId,
    round: spec.round,
    index: run.index,
    providerKey: run.model.providerKey,
    model: run.model.model,
    problemId: run.problem.id,
    problem: run.problem.problem,
    expected: run.problem.expected,
    tags: [...run.problem.tags],
    trial: run.trial,
    result,
    ...verdict,
    attempts,
    usage: session.meter.usage,
    costUsd: session.meter.costUsd,
    turns: session.meter.turns,
    runtimeSeconds: report.runtimeMs / 1_000,
    startupSeconds: report.startupMs / 1_000,
    waitSeconds: report.waitMs / 1_000,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    pid: report.pid,
    stdout: headOf(report.stdout),
    stderr: headOf(report.stderr),
    resultBytes: result === null ? 0 : Buffer.byteLength(JSON.stringify(result)),
    transcriptSteps: transcript.length,
  };
  return { entry, body: { v: 1, result, transcript, stdout: report.stdout, stderr: report.stderr } };
}

const headOf = (output: CapturedOutput) => ({
  head: output.head.slice(0, OUTPUT_HEAD_CHARACTERS),
  bytes: output.bytes,
});
