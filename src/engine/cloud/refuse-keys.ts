import { EvaluatorError } from "../../domain/evaluator-error.ts";
import { holdsKey } from "../../domain/redact-shapes.ts";
import type { StartRequest } from "../contract.ts";

/**
 * Refuses problems and tags of a request that hold what looks like a key. They are stored as they come, because
 * whoever stores them has no keys to compare them with.
 */
export function refuseKeys({ problems = [], tags = [] }: Pick<StartRequest, "problems" | "tags">): void {
  refuse("problem.holds_key", "problems", problems.findIndex(holdsKey));
  refuse("tag.holds_key", "tags", tags.findIndex(holdsKey));
}

function refuse(code: string, list: string, place: number): void {
  if (place === -1) return;
  throw new EvaluatorError(
    code,
    `${list}[${place}] holds what looks like a key, and would be stored with it; take it out, and should it be one, replace it at its provider`,
  );
}
