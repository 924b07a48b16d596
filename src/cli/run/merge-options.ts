import type { Budget } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Model } from "../../domain/model.ts";
import type { ProblemChoice } from "../../engine/choose-problems.ts";
import type { GrowRequest, StartRequest } from "../../engine/contract.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import { grownOptions } from "../../engine/grown-options.ts";
import { requestedOptions } from "../../engine/requested-options.ts";
import { choosesProblems, type RunFlags } from "./run-flags.ts";

/** The file's definition with what the command line says instead; a resumed evaluation keeps its plan, and may grow. */
export function mergeOptions(
  options: EvaluationOptions,
  flags: RunFlags,
  resumed: EvaluationRecord | null = null,
): EvaluationOptions {
  const asked =
    resumed === null
      ? requestedOptions(options, { ...askedOf(flags), ...budgetOf(options.budget, flags) })
      : grownOptions(options, resumed, growthOf(flags, resumed.budget ?? options.budget));
  return { ...asked, ...(flags.isolation === undefined ? {} : { isolation: flags.isolation }) };
}

/** What the flags say instead of a definition, but for its problems. */
export const askedOf = (flags: RunFlags): Omit<StartRequest, "evaluation"> => ({
  ...(flags.model.length === 0 ? {} : { models: flags.model.map(toPair) }),
  ...(flags.trials === undefined ? {} : { trials: flags.trials }),
  ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
  ...(flags.timeout === undefined ? {} : { limits: { timeoutSeconds: flags.timeout } }),
});

/** What the flags add to an evaluation that had such a budget. */
export const growthOf = (flags: RunFlags, budget: Budget | undefined): GrowRequest => ({
  ...askedOf(flags),
  ...budgetOf(budget, flags),
  ...(flags.grow ? { fromDefinition: true } : {}),
  ...(flags["retry-failed"] ? { retryFailed: true } : {}),
});

const toPair = ({ providerKey, model }: Model): [string, string] => [providerKey, model];

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
