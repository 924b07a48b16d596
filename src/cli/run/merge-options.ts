import type { Budget } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { type Model, modelKey } from "../../domain/model.ts";
import type { ProblemChoice } from "../../engine/choose-problems.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import { choosesProblems, type RunFlags } from "./run-flags.ts";

/** The file's definition with what the command line says instead; a resumed evaluation keeps its plan, and may grow. */
export function mergeOptions(
  options: EvaluationOptions,
  flags: RunFlags,
  resumed: EvaluationRecord | null = null,
): EvaluationOptions {
  const models = resumed === null ? flags.model : grownModels(options, flags, resumed);
  const trials = resumed === null ? flags.trials : grownTrials(options, flags, resumed);
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

function grownModels(options: EvaluationOptions, flags: RunFlags, { models }: EvaluationRecord): Model[] {
  const fromFile = flags.grow ? options.models.map(([providerKey, model]) => ({ providerKey, model })) : [];
  const wanted = flags.model.length > 0 ? flags.model : fromFile;
  return [...new Map([...models, ...wanted].map((model) => [modelKey(model), model])).values()];
}

const grownTrials = (options: EvaluationOptions, flags: RunFlags, { trials }: EvaluationRecord): number =>
  Math.max(trials, flags.trials ?? (flags.grow ? (options.trials ?? 1) : 1));

/** The flags' budget, and what it leaves of the one before. */
export function budgetOf(before: Budget | undefined, flags: RunFlags): { budget?: Budget } {
  const [usd, tokens, minutes] = [flags["budget-usd"], flags["budget-tokens"], flags["max-minutes"]];
  const budget = {
    ...before,
    ...(usd === undefined ? {} : { usd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(minutes === undefined ? {} : { minutes }),
  };
  return Object.keys(budget).length === 0 ? {} : { budget };
}

/** Which problems of the definition are meant; a resumed evaluation has its own, and reads others only to grow. */
export function choiceOf(flags: RunFlags, resumed: EvaluationRecord | null): ProblemChoice {
  if (resumed === null || choosesProblems(flags)) return chosen(flags);
  return flags.grow ? {} : { limit: 0 };
}

const chosen = ({ problem, tag, sample, seed, limit }: RunFlags): ProblemChoice => ({
  ...(problem.length === 0 ? {} : { problemIds: problem }),
  ...(tag.length === 0 ? {} : { tags: tag }),
  ...(sample === undefined ? {} : { sample }),
  ...(seed === undefined ? {} : { seed }),
  ...(limit === undefined ? {} : { limit }),
});
