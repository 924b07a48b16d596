import * as z from "zod";
import { EvaluationId } from "../ids.ts";
import { definedFields } from "../json.ts";
import { variantOf } from "../model.ts";
import type { Run } from "../plan.ts";
import { failure } from "./failure.ts";
import type { LogEntry } from "./log-entry.ts";
import { NO_USAGE } from "./usage.ts";

/** Runs of one round that ended alike without an entry of their own; a run that has one is not part of it. */
export const RunRange = z.object({
  v: z.literal(1),
  evaluationId: EvaluationId,
  round: z.int().positive(),
  from: z.int().nonnegative(),
  /** The first number that is not part of it. */
  to: z.int().positive(),
  cause: z.enum(["cancelled", "budget", "crashed"]),
  message: z.string(),
  at: z.iso.datetime(),
});
export type RunRange = z.infer<typeof RunRange>;

/** The entry that a run would have had; a run that never started used nothing, of a lost one nobody knows. */
export function entryOfRange(range: RunRange, { index, runId, model, problem, trial }: Run): LogEntry {
  const neverStarted = range.cause !== "crashed";
  return {
    v: 1,
    evaluationId: range.evaluationId,
    runId,
    round: range.round,
    index,
    providerKey: model.providerKey,
    model: model.model,
    ...variantOf(model),
    problemId: problem.id,
    problem: problem.problem,
    expected: problem.expected,
    tags: [...problem.tags],
    ...definedFields({ problemMetadata: problem.metadata }),
    trial,
    result: null,
    correct: null,
    score: null,
    reason: null,
    failure: failure(range.cause, range.message),
    attempts: [],
    usage: neverStarted ? NO_USAGE : null,
    costUsd: neverStarted ? 0 : null,
    judgeUsage: null,
    judgeCostUsd: null,
    turns: 0,
    runtimeSeconds: 0,
    startupSeconds: 0,
    waitSeconds: 0,
    startedAt: range.at,
    endedAt: range.at,
    pid: null,
    stdout: { head: "", bytes: 0 },
    stderr: { head: "", bytes: 0 },
    resultBytes: 0,
    transcriptSteps: 0,
    recheckOf: null,
  };
}
