import type { Store } from "../store/contract.ts";

/** What a command that only looks needs of a store, whether it is here or behind an API. */
export type EvaluationReader = Pick<
  Store,
  "findEvaluation" | "listEvaluations" | "entries" | "verdictRows" | "rounds" | "readBody" | "close"
>;
