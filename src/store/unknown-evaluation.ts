import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { EvaluationId } from "../domain/ids.ts";

export const unknownEvaluation = (id: EvaluationId): EvaluatorError =>
  new EvaluatorError(
    "store.unknown_evaluation",
    `The store has no evaluation ${id}; list the evaluations to see those that it has`,
  );
