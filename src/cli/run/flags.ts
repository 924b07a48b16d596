import * as z from "zod";
import type { Budget } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { givenOnly } from "../../domain/json.ts";
import { readModelKey } from "../../domain/model.ts";
import type { ProblemChoice } from "../../engine/definition/choose-problems.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { grownOptions, requestedOptions } from "../../engine/definition/requests.ts";
import type { GrowRequest, StartRequest } from "../../engine/engine.ts";
import {
  FLAGS,
  type Flags,
  type FlagValues,
  flagSwitch,
  numberBetween,
  someText,
  wholeNumber,
} from "../command.ts";
import { UsageError } from "../exit.ts";

const ModelFlag = z.string().transform((text, context) => {
  const model = readModelKey(text);
  if (model !== null) return model;
  context.addIssue("provider/model, such as openai/gpt-5-mini");
  return z.NEVER;
});

/** The part of an evaluation that is meant. */
export const PLAN_FLAGS = {
  model: {
    value: "PROVIDER/MODEL",
    isList: true,
    help: "use these models instead of the file's; repeatable",
    check: z.array(ModelFlag).default([]),
  },
  variant: {
    value: "NAME",
    isList: true,
    help: "only this variant of the file; repeatable",
    check: z.array(someText("the name of a variant")).default([]),
  },
  concurrency: { value: "N", help: "runs at the same time", check: wholeNumber.optional() },
  trials: { value: "N", help: "repeats of every model and problem", check: wholeNumber.optional() },
  limit: { value: "N", help: "only the first N problems", check: wholeNumber.optional() },
  problem: {
    value: "ID",
    isList: true,
    help: "only the problem with this id; repeatable",
    check: z.array(someText("the id of a problem")).default([]),
  },
  tag: {
    value: "TAG",
    isList: true,
    help: "only problems with this tag; repeatable",
    check: z.array(someText("a tag")).default([]),
  },
  sample: { value: "N", help: "a random sample of N problems", check: wholeNumber.optional() },
  seed: { value: "N", help: "random seed for --sample (default 1)", check: wholeNumber.optional() },
} as const satisfies Flags;

/** The limits of an evaluation, and the place of its runs. */
const LIMIT_FLAGS = {
  timeout: {
    value: "SECONDS",
    help: "working time of one run",
    check: numberBetween(0.001, 86_400, "seconds, more than 0 and at most 86400").optional(),
  },
  "confirm-above": {
    value: "USD",
    help: "ask first when it may cost more",
    check: numberBetween(0, 1e9, "dollars").optional(),
  },
  "budget-usd": {
    value: "USD",
    help: "stop starting runs when the total cost reaches this",
    check: numberBetween(0.000_001, 1e9, "dollars, more than 0").optional(),
  },
  "budget-tokens": {
    value: "N",
    help: "stop starting runs when all have used N tokens",
    check: wholeNumber.optional(),
  },
  "max-minutes": {
    value: "N",
    help: "stop starting runs after N minutes",
    check: numberBetween(0.001, 525_600, "minutes, more than 0").optional(),
  },
  isolation: {
    value: "KIND",
    help: "process (a fresh one per run), pool (reused) or none",
    check: z.enum(["process", "pool", "none"], "process, pool or none").optional(),
  },
} as const satisfies Flags;

export const RUN_FLAGS = {
  ...PLAN_FLAGS,
  ...LIMIT_FLAGS,
  "keep-going": { help: "do not stop a provider that refuses every run", check: flagSwitch },
  ...FLAGS.gates,
  baseline: {
    value: "ID",
    help: "compare with it, or with a file of --json or --jsonl",
    check: someText("the id of an evaluation, or a file").optional(),
  },
  against: {
    value: "REF",
    help: "compare with the file as of this git commit",
    check: someText("a git branch, tag or commit").optional(),
  },
  "max-drop": {
    value: "3",
    help: "exit 3 on a drop of more percentage points than that",
    check: numberBetween(0, 100, "percentage points from 0 to 100").optional(),
  },
  "fail-on-regression": {
    help: "exit 3 on a statistically significant drop",
    check: flagSwitch,
  },
  resume: {
    value: "ID",
    help: "resume a stopped evaluation; needs no FILE",
    check: someText("the id of an evaluation").optional(),
  },
  "retry-failed": { help: "with --resume: also run again what failed", check: flagSwitch },
  "take-over": { help: "with --resume: even if it seems to run elsewhere", check: flagSwitch },
  grow: { help: "with --resume: also run what the file has more", check: flagSwitch },
  ...FLAGS.outputs,
  ...FLAGS.remote,
  ...FLAGS.store,
  watch: { help: "run again when a file, its data or .env changes", check: flagSwitch },
  ...FLAGS.document,
  ...FLAGS.quiet,
} as const satisfies Flags;
export type RunFlags = FlagValues<typeof RUN_FLAGS>;

type PlanFlags = FlagValues<typeof PLAN_FLAGS>;
/** The flags that change a definition, as `run` and `estimate` have them. */
export type DefinitionFlags = PlanFlags &
  FlagValues<typeof LIMIT_FLAGS> &
  Partial<Pick<RunFlags, "grow" | "retry-failed" | "against" | "keep-going">>;

/** Returns the file's definition with what the flags say instead; a resumed evaluation keeps its plan, and may grow. */
export function mergeOptions(
  options: EvaluationOptions,
  flags: DefinitionFlags,
  resumed: EvaluationRecord | null = null,
): EvaluationOptions {
  const merged =
    resumed === null
      ? requestedOptions(options, { ...requestOf(flags), ...budgetOf(options.budget, flags) })
      : grownOptions(options, resumed, growthOf(flags, resumed.budget ?? options.budget));
  return {
    ...merged,
    ...givenOnly({ isolation: flags.isolation }),
    ...(flags["keep-going"] ? { stopAfterFailures: false as const } : {}),
  };
}

/** Returns what the flags say instead of a definition, except its problems. */
export function requestOf(flags: DefinitionFlags): Omit<StartRequest, "evaluation"> {
  const { trials, concurrency, timeout, variant } = flags;
  const models = flags.model.map(({ providerKey, model }): [string, string] => [providerKey, model]);
  const limits = timeout === undefined ? undefined : { timeoutSeconds: timeout };
  return givenOnly({
    models: models.length === 0 ? undefined : models,
    variants: variant.length === 0 ? undefined : variant,
    trials,
    concurrency,
    limits,
  });
}

/** Returns what the flags add to an evaluation that had such a budget. */
export const growthOf = (flags: DefinitionFlags, budget: Budget | undefined): GrowRequest => ({
  ...requestOf(flags),
  ...budgetOf(budget, flags),
  ...(flags.grow ? { fromDefinition: true } : {}),
  ...(flags["retry-failed"] ? { retryFailed: true } : {}),
});

/** Returns the flags' budget, and the limits of the one before that it leaves. */
export function budgetOf(before: Budget | undefined, flags: DefinitionFlags): { budget?: Budget } {
  const { "budget-usd": usd, "budget-tokens": tokens, "max-minutes": minutes } = flags;
  const budget = { ...before, ...givenOnly({ usd, tokens, minutes }) };
  return Object.keys(budget).length === 0 ? {} : { budget };
}

/** Chooses problems of the definition; a resumed evaluation has its own, and reads others only to grow. */
export function choiceOf(flags: DefinitionFlags, resumed: EvaluationRecord | null): ProblemChoice {
  if (resumed !== null && !choosesProblems(flags)) return flags.grow ? {} : { limit: 0 };
  const { problem, tag, sample, seed, limit } = flags;
  return {
    ...(problem.length === 0 ? {} : { problemIds: problem }),
    ...(tag.length === 0 ? {} : { tags: tag }),
    ...givenOnly({ sample, seed, limit }),
  };
}

/** Refuses what contradicts itself, before anything starts. */
export function checkTogether(words: readonly string[], flags: RunFlags): void {
  if (words.length === 0 && flags.resume === undefined) {
    throw new UsageError("run needs an evaluation file: run evals/first.eval.ts (init writes one).");
  }
  const drop = (["fail-on-regression", "max-drop"] as const).find((name) => flags[name]);
  if (drop !== undefined && flags.baseline === undefined) {
    throw new UsageError(`--${drop} needs a --baseline to compare with.`);
  }
  if (flags.remote !== undefined) {
    const here = ONLY_HERE.find((name) => flags[name] !== undefined && flags[name] !== false);
    if (here !== undefined) throw new UsageError(`--${here} and --remote do not go together.`);
  }
  if (flags.watch && flags.json) throw new UsageError("--watch and --json do not go together.");
  if (flags.seed !== undefined && flags.sample === undefined) {
    throw new UsageError("--seed goes with --sample, which says how many problems to draw.");
  }
  if (flags.resume === undefined) {
    const needs = (["retry-failed", "take-over", "grow"] as const).find((name) => flags[name]);
    if (needs === undefined) return;
    throw new UsageError(`--${needs} needs the evaluation: --resume ID --${needs}.`);
  }
  if (flags.against !== undefined)
    throw new UsageError("--resume goes on with the commit it was started with; leave --against out.");
  if (words.length > 1) throw new UsageError("--resume resumes one evaluation; give one file.");
  if (flags.watch) throw new UsageError("--resume and --watch do not go together.");
}

const ONLY_HERE = [
  "against",
  "watch",
  "take-over",
  "isolation",
  "keep-going",
  "confirm-above",
  "baseline",
  "store",
] as const;

/** Tells if a resumed evaluation is to have more than it was started with. */
export const isGrowing = (flags: RunFlags): boolean =>
  flags.grow ||
  flags.model.length > 0 ||
  flags.variant.length > 0 ||
  flags.trials !== undefined ||
  choosesProblems(flags);

const choosesProblems = ({ problem, tag, sample, limit }: PlanFlags): boolean =>
  problem.length > 0 || tag.length > 0 || sample !== undefined || limit !== undefined;
