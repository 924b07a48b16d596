import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { EvaluationId } from "../domain/ids.ts";
import type { ModelPair } from "../domain/model.ts";
import type { ProblemChoice } from "./choose-problems.ts";
import type { GrowRequest } from "./contract.ts";
import type { EvaluationOptions } from "./definition.ts";
import { requestedOptions } from "./requested-options.ts";

/** A definition's options for an evaluation that goes on and may grow; what nobody asks for stays as it was. */
export function grownOptions(
  options: EvaluationOptions,
  stored: EvaluationRecord,
  request: GrowRequest,
): EvaluationOptions {
  const asked = requestedOptions(options, request);
  const isMeant = (name: "models" | "trials") => request.fromDefinition || request[name] !== undefined;
  const budget = request.budget ?? stored.budget ?? options.budget;
  return {
    ...asked,
    models: unite(stored, isMeant("models") ? asked.models : []),
    trials: Math.max(stored.trials, (isMeant("trials") ? asked.trials : undefined) ?? 1),
    tags: [...new Set([...stored.tags, ...(asked.tags ?? [])])],
    ...(budget === undefined ? {} : { budget }),
  };
}

/** Which of the definition's problems it may have in addition. */
export function grownChoice({ problemIds, problems, fromDefinition }: GrowRequest): ProblemChoice {
  if (problemIds !== undefined) return { problemIds };
  return problems !== undefined || fromDefinition ? {} : { limit: 0 };
}

export const nothingNew = (id: EvaluationId): EvaluatorError =>
  new EvaluatorError(
    "evaluation.nothing_new",
    `evaluation ${id} has all of this already; retry it to run what failed or is missing`,
  );

function unite({ models }: EvaluationRecord, more: readonly ModelPair[]): ModelPair[] {
  const pairs = [...models.map(({ providerKey, model }): ModelPair => [providerKey, model]), ...more];
  return [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()];
}
