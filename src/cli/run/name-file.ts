import { EvaluatorError } from "../../domain/evaluator-error.ts";

/** With several files a mistake in a definition is worth little without the name of its file. */
export function nameFile(file: string, error: unknown): unknown {
  if (!(error instanceof EvaluatorError) || !OF_THE_FILE.test(error.code)) return error;
  return new EvaluatorError(error.code, `${file}: ${error.message}`, { cause: error });
}

const OF_THE_FILE = /^(options|problem)\./;
