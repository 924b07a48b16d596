import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { Store } from "../../store/contract.ts";

/** The record of an evaluation that must be there. */
export async function storedRecord(
  store: Pick<Store, "findEvaluation">,
  id: EvaluationId,
): Promise<EvaluationRecord> {
  const record = await store.findEvaluation(id);
  if (record !== null) return record;
  throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id} in this store`);
}
