import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { LogEntry } from "../domain/log-entry.ts";

export const unknownProblem = ({
  evaluationId,
  problemId,
}: Pick<LogEntry, "evaluationId" | "problemId">): EvaluatorError =>
  new EvaluatorError(
    "store.unknown_problem",
    `${evaluationId} was not created with the problem ${problemId}; create it before saving its entries`,
  );
