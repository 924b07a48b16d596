import type { Json } from "../../domain/json.ts";
import type { Run } from "../../domain/plan.ts";
import { type Failure, failure } from "../../domain/run/failure.ts";
import type { Attempt, CapturedOutput, LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { RunReport } from "../../isolation/isolation.ts";
import { type Judgement, judgeRun, UNJUDGED } from "./judge-run.ts";
import { Meter } from "./meter.ts";
import { redactReport, stopFailure } from "./redaction.ts";
import type { RunSession } from "./run-session.ts";
import { openSession, type RunSpec, taskOf } from "./run-spec.ts";

/** A run gets another attempt only when its process died by a signal that was not ours. */
const MAX_ATTEMPTS = 2;
const OUTPUT_HEAD_CHARACTERS = 1_000;

export interface FinishedRun {
  readonly entry: LogEntry;
  readonly body: RunBody;
}

/** One run from start to log entry; exactly one entry, whatever happens. */
export async function executeRun(run: Run, spec: RunSpec): Promise<FinishedRun> {
  const startedAt = spec.clock.now();
  const attempts: Attempt[] = [];
  const meter = new Meter();
  await spec.prices.open(run.model);
  for (;;) {
    const session = openSession(run, spec, meter);
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
    const verdict = await verdictOf(run, spec, session, report, failed);
    await session.close();
    const endedAt = spec.clock.now();
    return finish(run, spec, session, report, verdict, { startedAt, endedAt, attempts });
  }
}

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

async function verdictOf(
  run: Run,
  spec: RunSpec,
  session: RunSession,
  { outcome }: RunReport,
  failed: Failure | null,
): Promise<Judgement> {
  if (outcome.kind === "failed") return { ...UNJUDGED, failure: failed };
  return judgeRun(run, spec, { result: outcome.result, transcript: session.transcript.steps() });
}

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
  verdict: Judgement,
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
    recheckOf: null,
  };
  return { entry, body: { v: 1, result, transcript, stdout: report.stdout, stderr: report.stderr } };
}

const headOf = (output: CapturedOutput) => ({
  head: output.head.slice(0, OUTPUT_HEAD_CHARACTERS),
  bytes: output.bytes,
});
