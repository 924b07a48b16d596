import * as z from "zod";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { EvaluationId } from "../domain/ids.ts";
import type { Store } from "../store/contract.ts";

export const EvaluationPath = z.object({ id: EvaluationId });

export async function knownEvaluation(store: Store, id: EvaluationId): Promise<EvaluationRecord> {
  const record = await store.findEvaluation(id);
  if (record !== null) return record;
  throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id}`);
}
