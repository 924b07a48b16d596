import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { Problem } from "../domain/problem.ts";

/** Those with the given ids, in the order of the list; all when no ids are given. */
export function chooseProblems(
  problems: readonly Problem[],
  ids: readonly string[] | undefined,
): readonly Problem[] {
  if (ids === undefined) return problems;
  const wanted = new Set(ids);
  const chosen = problems.filter(({ id }) => wanted.delete(id));
  const [unknown] = wanted;
  if (unknown === undefined) return chosen;
  const some = problems.slice(0, 5).map(({ id }) => id);
  throw new EvaluatorError(
    "problem.unknown",
    `there is no problem "${unknown}"; the first ids are ${some.join(", ") || "none"}`,
  );
}
