import type * as z from "zod";
import { EvaluatorError } from "../domain/evaluator-error.ts";

/** Parses what was stored as JSON text; `what` names it for the user when it is damaged. */
export function readStored<Schema extends z.ZodType>(
  schema: Schema,
  text: unknown,
  what: string,
): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(String(text)));
  } catch (cause) {
    throw new EvaluatorError(
      "store.unusable",
      `${what} is damaged or was written by a newer release; use that release, or bring the store back from a copy`,
      { cause },
    );
  }
}
