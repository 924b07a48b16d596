import type { Budget } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ProblemChoice } from "../../engine/choose-problems.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import type { RunFlags } from "./run-flags.ts";

/** The file's definition with what the command line says instead; a resumed evaluation keeps its plan. */
export function mergeOptions(
  options: EvaluationOptions,
  flags: RunFlags,
  resumed: EvaluationRecord | null = null,
): EvaluationOptions {
  const models = resumed?.models ?? flags.model;
  const trials = resumed?.trials ?? flags.trials;
  return {
    ...options,
    ...(models.length > 0 ? { models: models.map(({ providerKey, model }) => [providerKey, model]) } : {}),
    ...(trials === undefined ? {} : { trials }),
    ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
    ...(flags.isolation === undefined ? {} : { isolation: flags.isolation }),
    ...(flags.timeout === undefined ? {} : { limits: { ...options.limits, timeoutSeconds: flags.timeout } }),
    ...budgetOf(resumed?.budget ?? options.budget, flags),
  };
}

function budgetOf(before: Budget | undefined, flags: RunFlags): { budget?: Budget } {
  const [usd, tokens, minutes] = [flags["budget-usd"], flags["budget-tokens"], flags["max-minutes"]];
  const budget = {
    ...before,
    ...(usd === undefined ? {} : { usd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(minutes === undefined ? {} : { minutes }),
  };
  return Object.keys(budget).length === 0 ? {} : { budget };
}

/** Which problems of the definition are meant. */
export const choiceOf = ({ problem, tag, sample, seed, limit }: RunFlags): ProblemChoice => ({
  ...(problem.length === 0 ? {} : { problemIds: problem }),
  ...(tag.length === 0 ? {} : { tags: tag }),
  ...(sample === undefined ? {} : { sample }),
  ...(seed === undefined ? {} : { seed }),
  ...(limit === undefined ? {} : { limit }),
});
