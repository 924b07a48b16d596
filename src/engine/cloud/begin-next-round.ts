import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import type { CloudParts } from "./cloud-parts.ts";
import { executeRound, quietenRound } from "./round-execution.ts";

/** Stores that an evaluation goes on, and starts its round; of two who try that at once one is refused. */
export async function beginNextRound(
  parts: Pick<CloudParts, "store" | "executions">,
  before: EvaluationRecord,
  { hasLateRuns: _, ...next }: EvaluationRecord,
): Promise<EvaluationRecord> {
  const isAnother = next.round > before.round;
  const flags = isAnother ? await quietenRound(parts, before) : {};
  if ((await parts.store.updateEvaluation(next, before)) === "changed") throw overtaken(before.id);
  await executeRound(parts, next, flags);
  return next;
}

const overtaken = (id: string) =>
  new EvaluatorError(
    "evaluation.running",
    `evaluation ${id} has changed since it was looked at: it ended, or somebody else went on with it; look again`,
  );
