import * as z from "zod";
import type { Budget } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { type Model, readModelKey } from "../../domain/model.ts";
import type { ProblemChoice } from "../../engine/definition/choose-problems.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { grownOptions, requestedOptions } from "../../engine/definition/requests.ts";
import type { GrowRequest, StartRequest } from "../../engine/engine.ts";
import { UsageError } from "../errors.ts";
import { flagSwitch, numberBetween, OutputFlags, remoteFlags, wholeNumber } from "../flags.ts";

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

const RunFlagsModel = z.string().transform((text, context) => {
  const model = readModelKey(text);
  if (model !== null) return model;
  context.addIssue("provider/model, such as openai/gpt-5-mini");
  return z.NEVER;
});

export const RunFlags = z.strictObject({
  model: z.array(RunFlagsModel).default([]),
  concurrency: wholeNumber.optional(),
  trials: wholeNumber.optional(),
  limit: wholeNumber.optional(),
  problem: z.array(z.string().min(1, "the id of a problem")).default([]),
  tag: z.array(z.string().min(1, "a tag")).default([]),
  sample: wholeNumber.optional(),
  seed: wholeNumber.optional(),
  timeout: numberBetween(0.001, 86_400, "seconds, more than 0 and at most 86400").optional(),
  "budget-usd": numberBetween(0.000_001, 1e9, "dollars, more than 0").optional(),
  "confirm-above": numberBetween(0, 1e9, "dollars").optional(),
  "budget-tokens": wholeNumber.optional(),
  "max-minutes": numberBetween(0.001, 525_600, "minutes, more than 0").optional(),
  isolation: z.enum(["process", "pool", "none"], "process, pool or none").optional(),
  "min-accuracy": numberBetween(0, 1, "a number from 0 to 1").optional(),
  baseline: z.string().min(1, "the id of an evaluation, or a file").optional(),
  "fail-on-regression": flagSwitch,
  resume: z.string().min(1, "the id of an evaluation").optional(),
  "retry-failed": flagSwitch,
  grow: flagSwitch,
  ...OutputFlags,
  ...remoteFlags,
  store: z.string().min(1, "a folder").optional(),
  watch: flagSwitch,
  json: flagSwitch,
  quiet: flagSwitch,
});
export type RunFlags = z.output<typeof RunFlags>;

/** Refuses what contradicts itself, before anything starts. */
export function checkTogether(words: readonly string[], flags: RunFlags): void {
  if (words.length === 0 && flags.resume === undefined) {
    throw new UsageError("run needs an evaluation file: run evals/first.eval.ts (init writes one).", "run");
  }
  if (flags["fail-on-regression"] && flags.baseline === undefined) {
    throw new UsageError("--fail-on-regression needs a --baseline to compare with.", "run");
  }
  checkRemote(flags);
  if (flags.watch && flags.json) throw new UsageError("--watch and --json do not go together.", "run");
  if (flags.seed !== undefined && flags.sample === undefined) {
    throw new UsageError("--seed goes with --sample, which says how many problems to draw.", "run");
  }
  if (flags.resume === undefined) {
    const needs = (["retry-failed", "grow"] as const).find((name) => flags[name]);
    if (needs === undefined) return;
    throw new UsageError(`--${needs} needs the evaluation: --resume ID --${needs}.`, "run");
  }
  if (words.length > 1) throw new UsageError("--resume goes on with one evaluation; give one file.", "run");
  if (flags.watch) throw new UsageError("--resume and --watch do not go together.", "run");
}

const ONLY_HERE = ["isolation", "confirm-above", "baseline", "store"] as const;

function checkRemote(flags: RunFlags): void {
  if (flags.remote === undefined) return;
  const here = flags.watch ? "watch" : ONLY_HERE.find((name) => flags[name] !== undefined);
  if (here !== undefined) throw new UsageError(`--${here} and --remote do not go together.`, "run");
}

/** Whether a resumed evaluation is to have more than it was started with. */
export const isGrowing = (flags: RunFlags): boolean =>
  flags.grow || flags.model.length > 0 || flags.trials !== undefined || choosesProblems(flags);

export const choosesProblems = ({ problem, tag, sample, limit }: RunFlags): boolean =>
  problem.length > 0 || tag.length > 0 || sample !== undefined || limit !== undefined;
