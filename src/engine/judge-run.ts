import { failure } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Run } from "../domain/plan.ts";
import type { TranscriptStep } from "../domain/transcript.ts";
import { Meter } from "./meter.ts";
import { redactCheck } from "./redaction.ts";
import { openSession, type RunSpec, taskOf } from "./run-spec.ts";
import { stopFailure } from "./stop-failure.ts";

/** What of a log entry the checker decides. */
export type Judgement = Pick<
  LogEntry,
  "correct" | "score" | "reason" | "failure" | "judgeUsage" | "judgeCostUsd"
>;

export const UNJUDGED = {
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
export async function judgeRun(run: Run, spec: RunSpec, { result, transcript }: Answer): Promise<Judgement> {
  const { expected, tags } = run.problem;
  const meter = new Meter();
  const session = openSession(run, { ...spec, limits: withoutRunLimits(spec.limits) }, meter);
  const task = { ...taskOf(run), result, expected, tags, transcript };
  const raw = await spec.isolation.check(task, spec.limits, session);
  await session.close();
  const checked = redactCheck(raw, spec.redaction);
  const used = { judgeUsage: meter.usage, judgeCostUsd: meter.costUsd };
  if (checked.kind === "verdict") {
    const { correct, score, reason } = checked;
    return { correct, score, reason, ...used, failure: null };
  }
  const isCancelled = spec.cancelled.aborted && stopFailure(spec.cancelled).cause === "cancelled";
  const cause = isCancelled ? "cancelled" : "checker_error";
  return { ...UNJUDGED, ...used, failure: failure(cause, checked.message) };
}

/** What the agent may use says nothing about its judge. */
const withoutRunLimits = ({ maxTokens: _t, maxTurns: _n, maxCostUsd: _c, ...limits }: Limits): Limits =>
  limits;
