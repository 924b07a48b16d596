import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Json } from "../../domain/json.ts";
import type { Limits } from "../../domain/limits.ts";
import type { Run } from "../../domain/plan.ts";
import { failure } from "../../domain/run/failure.ts";
import type { LogEntry, TranscriptStep } from "../../domain/run/log-entry.ts";
import { isUnchecked } from "../../domain/run/verdict.ts";
import type { Store } from "../../store/store.ts";
import { BudgetBrake } from "../budget-brake.ts";
import { Meter } from "./meter.ts";
import { redactCheck, stopFailure } from "./redaction.ts";
import { openSession, type RunSpec, taskOf } from "./run-spec.ts";

interface EntryCheck {
  readonly store: Pick<Store, "readBody" | "saveEntry" | "addSpend">;
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
  const checked: LogEntry = { ...entry, result: body.result, ...verdict, round, recheckOf };
  // What the agent used was counted when it ran.
  await new BudgetBrake(store, record, spec.clock).add({ ...checked, usage: null, costUsd: null });
  await store.saveEntry(checked, body);
  return checked;
}

const runOf = ({ index, runId, providerKey, model, trial, ...entry }: LogEntry): Run => ({
  ...{ index, runId, trial },
  model: { providerKey, model },
  problem: { id: entry.problemId, problem: entry.problem, expected: entry.expected, tags: entry.tags },
});

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
