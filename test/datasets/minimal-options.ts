import type { EvaluationOptions } from "../../src/engine/definition/definition.ts";

/** A definition of which only the problems matter. */
export const OPTIONS = {
  models: [["scripted", "a"]],
  problems: [],
  buildAgent: () => async () => null,
  resultChecker: () => true,
} satisfies EvaluationOptions;
