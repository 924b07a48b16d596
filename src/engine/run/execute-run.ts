import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { definedFields, type Json } from "../../domain/json.ts";
import type { Limits } from "../../domain/limits.ts";
import { calledModel, variantOf } from "../../domain/model.ts";
import type { Run } from "../../domain/plan.ts";
import { type Failure, failure } from "../../domain/run/failure.ts";
import type {
  Attempt,
  CapturedOutput,
  LogEntry,
  RunBody,
  TranscriptStep,
} from "../../domain/run/log-entry.ts";
import { isUnchecked } from "../../domain/run/verdict.ts";
import type { RunReport, RunTask } from "../../isolation/isolation.ts";
import type { ProviderTrouble } from "../../providers/provider.ts";
import type { Store } from "../../store/store.ts";
import { BudgetBrake } from "../budget-brake.ts";
import { Meter } from "./meter.ts";
import { redactCheck, redactReport, stopFailure } from "./redaction.ts";
import { RunSession, type RunSpec } from "./run-session.ts";

/** A run gets another attempt only when its process died by a signal that was not ours. */
const MAX_ATTEMPTS = 2;
const OUTPUT_HEAD_CHARACTERS = 1_000;

export interface FinishedRun {
  readonly entry: LogEntry;
  readonly body: RunBody;
  /** Why it failed, where every other run of its provider will fail too. */
  readonly trouble: ProviderTrouble | null;
}

/** One run from start to log entry; exactly one entry, whatever happens. */
export async function executeRun(run: Run, spec: RunSpec): Promise<FinishedRun> {
  const startedAt = spec.clock.now();
  const attempts: Attempt[] = [];
  const meter = new Meter();
  await spec.prices.open(calledModel(run.model));
  for (;;) {
    const session = new RunSession(run, spec, meter);
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
    const { outcome } = report;
    const verdict =
      outcome.kind === "failed"
        ? { ...UNJUDGED, failure: failed }
        : await judgeRun(run, spec, { result: outcome.result, transcript: session.transcript.steps() });
    await session.close();
    return finishRun(run, spec, { session, report, verdict, startedAt, attempts });
  }
}

/**
 * An agent cannot excuse itself with a model call that did not fail, and is excused where its own SDK's call did. What
 * a model answered is its own fault, also where only the agent's reader says what is wrong with it.
 */
function failureOf(report: RunReport, session: RunSession, spec: RunSpec): Failure | null {
  if (report.outcome.kind === "answered") return null;
  const { failure: failed } = report.outcome;
  if (failed.cause === "agent_error" && session.lastHttpFailure !== null) return session.lastHttpFailure;
  if (failed.cause === "agent_error" && session.hasReply && UNREADABLE.test(failed.message))
    return failure("no_answer", `the agent could not read the model's answer: ${failed.message}`);
  const blamesProvider = failed.cause === "provider_error" || failed.cause === "rate_limited";
  const isOurs = spec.cancelled.aborted && failed.message === stopFailure(spec.cancelled).message;
  if (!blamesProvider || isOurs || session.hasFailedCall || spec.hasOwnProviders) return failed;
  return failure("agent_error", failed.message);
}

/** Errors of what reads a text or checks its shape, in Node and in the libraries of the field. */
const UNREADABLE =
  /^(?:SyntaxError|\$?ZodError|ValiError|AI_(?:JSONParse|TypeValidation|NoObjectGenerated)Error): /;

const attemptOf = (number: number, startedAt: Date, endedAt: Date, failed: Failure | null): Attempt => ({
  number,
  startedAt: startedAt.toISOString(),
  endedAt: endedAt.toISOString(),
  cause: failed?.cause ?? null,
  message: failed?.message ?? null,
});

interface RunEnd {
  readonly session: RunSession;
  readonly report: RunReport;
  readonly verdict: Judgement;
  readonly startedAt: Date;
  readonly attempts: Attempt[];
}

function finishRun(
  run: Run,
  spec: RunSpec,
  { session, report, verdict, startedAt, attempts }: RunEnd,
): FinishedRun {
  const result: Json | null = report.outcome.kind === "answered" ? report.outcome.result : null;
  const transcript = [...session.transcript.steps()];
  const entry: LogEntry = {
    v: 1,
    evaluationId: spec.evaluationId,
    round: spec.round,
    index: run.index,
    ...taskOf(run),
    runId: run.runId,
    problemId: run.problem.id,
    expected: run.problem.expected,
    tags: [...run.problem.tags],
    ...definedFields({ problemMetadata: run.problem.metadata }),
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
    endedAt: spec.clock.now().toISOString(),
    pid: report.pid,
    stdout: headOf(report.stdout),
    stderr: headOf(report.stderr),
    resultBytes: result === null ? 0 : Buffer.byteLength(JSON.stringify(result)),
    transcriptSteps: transcript.length,
    recheckOf: null,
  };
  const trouble = entry.failure?.cause === "provider_error" && !session.hasReply ? session.trouble : null;
  return { entry, trouble, body: { v: 1, result, transcript, stdout: report.stdout, stderr: report.stderr } };
}

const headOf = (output: CapturedOutput) => ({
  head: output.head.slice(0, OUTPUT_HEAD_CHARACTERS),
  bytes: output.bytes,
});

const taskOf = (run: Run): RunTask => ({
  runId: run.runId,
  providerKey: run.model.providerKey,
  model: run.model.model,
  ...variantOf(run.model),
  problemId: run.problem.id,
  problem: run.problem.problem,
  trial: run.trial,
});

interface EntryCheck {
  readonly store: Pick<Store, "readBody" | "saveEntry" | "addSpend" | "spent">;
  readonly record: EvaluationRecord;
  /** How to check; its round is the one that checks. */
  readonly spec: RunSpec;
}

/** Checks a stored result again and answers with what counts from now on; what cannot be checked stays as it is. */
export async function checkEntry({ store, record, spec }: EntryCheck, entry: LogEntry): Promise<LogEntry> {
  const { round } = spec;
  if (!isUnchecked(entry, round)) return entry;
  const body = await store.readBody(record.id, entry.runId, entry.round, entry.index);
  if (body === null) return entry;
  const verdict = await judgeRun(runOf(entry), spec, body);
  if (verdict.failure?.fault === "stopped") return entry;
  const recheckOf = entry.recheckOf ?? entry.round;
  // What this check does not say again was said of the one before.
  const { metrics: _m, metadata: _d, ...before } = entry;
  const checked: LogEntry = { ...before, result: body.result, ...verdict, round, recheckOf };
  // What the agent used was counted when it ran.
  await new BudgetBrake(store, record, spec.clock).add({ ...checked, usage: null, costUsd: null });
  await store.saveEntry(checked, body);
  return checked;
}

const runOf = ({ index, runId, providerKey, model, variant, trial, ...entry }: LogEntry): Run => ({
  index,
  runId,
  trial,
  model: { providerKey, model, variant },
  problem: {
    ...{ id: entry.problemId, problem: entry.problem, expected: entry.expected, tags: entry.tags },
    ...definedFields({ metadata: entry.problemMetadata }),
  },
});

/** What of a log entry the checker decides. */
type Judgement = Pick<
  LogEntry,
  "correct" | "score" | "metrics" | "metadata" | "reason" | "failure" | "judgeUsage" | "judgeCostUsd"
>;

const UNJUDGED = {
  correct: null,
  score: null,
  reason: null,
  judgeUsage: null,
  judgeCostUsd: null,
} as const;

/** What a run left for its checker. */
interface Answer {
  readonly result: Json;
  readonly transcript: readonly TranscriptStep[];
}

/** Has a result checked, now or long after its run, and always outside of the agent's process. */
async function judgeRun(run: Run, spec: RunSpec, { result, transcript }: Answer): Promise<Judgement> {
  const { expected, tags } = run.problem;
  const meter = new Meter();
  // A judge is the same for all models, also for those of a server of the user's.
  const session = new RunSession(run, { ...spec, limits: withoutRunLimits(spec.limits) }, meter, "openai");
  const task = { ...taskOf(run), result, expected, tags, transcript };
  const raw = await spec.isolation.check(task, spec.limits, session);
  await session.close();
  const checked = redactCheck(raw, spec.redaction);
  const used = { judgeUsage: meter.usage, judgeCostUsd: meter.costUsd };
  if (checked.kind === "verdict") {
    const { kind: _, metrics, metadata, ...verdict } = checked;
    return { ...verdict, ...definedFields({ metrics, metadata }), ...used, failure: null };
  }
  const isCancelled = spec.cancelled.aborted && stopFailure(spec.cancelled).cause === "cancelled";
  const cause = isCancelled ? "cancelled" : "checker_error";
  return { ...UNJUDGED, ...used, failure: failure(cause, checked.message) };
}

/** What the agent may use says nothing about its judge. */
const withoutRunLimits = ({ maxTokens: _t, maxTurns: _n, maxCostUsd: _c, ...limits }: Limits): Limits =>
  limits;
