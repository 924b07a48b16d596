import { EvaluatorError } from "../domain/evaluator-error.ts";

export const bodyLost = (place: string, what: string, cause?: unknown): EvaluatorError =>
  new EvaluatorError(
    "store.body_lost",
    `${place} ${what}; the log entry of its run is still whole, but its transcript and output are not. Bring it back from a copy, or retry the run`,
    { cause },
  );
