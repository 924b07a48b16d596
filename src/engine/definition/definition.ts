import type { Agent, Tool, ToolSource } from "../../agent/agent.ts";
import type { CheckContext, Verdict } from "../../checkers/checker.ts";
import type { Budget } from "../../domain/budget.ts";
import type { LimitsInput } from "../../domain/limits.ts";
import type { ModelKey, ModelPair } from "../../domain/model.ts";
import type { ExpectedOf, ProblemOf } from "../../domain/problem.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { Price } from "../../domain/run/usage.ts";
import type { DriftInput } from "../../domain/stats/drift.ts";
import type { GatesInput } from "../../domain/stats/gates.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import type { ModelOptions } from "../../providers/model-options.ts";
import type { ChatProvider, ProviderFactory } from "../../providers/provider.ts";
import type { Scripts } from "../../providers/scripted.ts";

export type IsolationKind = "process" | "pool" | "none";

/** Rights of a run's process beyond reading its own code and writing its own temp folder. */
export interface Permissions {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly spawn?: boolean;
  readonly addons?: boolean;
}

/** The checker's own means, in place of the agent's; what is left out is the agent's. */
interface CheckerOptions {
  readonly permissions?: Permissions;
  /** Names of environment variables that the checker may see. */
  readonly env?: readonly string[];
  /** For checkers with an SDK of their own, such as the LLM scorers of autoevals; their calls are counted as judging. */
  readonly gateway?: boolean;
}

/**
 * The recipe of an evaluation, as a user writes it. Its functions are methods, so that a recipe of any types is one of
 * unknown types as well.
 */
export interface EvaluationOptions<
  Given = unknown,
  Expected = unknown,
  Result = unknown,
  Item = unknown,
  Variant = unknown,
> {
  /** Groups evaluations of one file over time: in lists, trends and `drift`. */
  readonly name?: string;
  /** Provider and model, such as `["openai", "gpt-5-mini"]`. */
  readonly models: readonly ModelPair[];
  /**
   * Variants of the agent to compare, such as two prompts: each model runs with each of them, and `buildAgent` gets the
   * value of the one that runs.
   */
  readonly variants?: Readonly<Record<string, Variant>> | undefined;
  /**
   * Values, pairs `[problem, expected]`, or objects `{ problem, expected, id, tags, metadata }`; from elsewhere by `csv()`,
   * `jsonl()` or `huggingface()`.
   */
  readonly problems: Iterable<Item> | AsyncIterable<Item>;
  /** Makes the agent of one run, in that run's process: a function, or anything with `run(context)`. */
  buildAgent(
    provider: ChatProvider,
    model: string,
    tools: readonly Tool[],
    problem: NoInfer<Given>,
    variant: NoInfer<Variant>,
  ): Agent<Result> | Promise<Agent<Result>>;
  /** Gets the result as JSON keeps it. Write it after `buildAgent`, whose types it takes. */
  resultChecker(
    result: Exclude<NoInfer<Result>, null | undefined>,
    expected: NoInfer<Expected>,
    context: CheckContext,
  ): Verdict | Promise<Verdict>;
  /** Sources such as MCP servers are opened and closed with each run; the agent gets their tools. */
  readonly tools?: readonly (Tool | ToolSource)[];
  /** How many runs there are at a time. */
  readonly concurrency?: number;
  /** How often each model gets each problem. */
  readonly trials?: number;
  /** What one run may use: time, memory, output, tokens, dollars. */
  readonly limits?: LimitsInput;
  /** What all runs together may use; then no further one starts, and the rest waits for a larger budget. */
  readonly budget?: Budget;
  /**
   * After so many runs of one provider failed for the same reason (a refused key, no connection) and none got an answer,
   * no further run of it starts; `false` keeps going.
   */
  readonly stopAfterFailures?: number | false;
  /** A fresh process for each run (`"process"`), processes that are used again (`"pool"`), or this process (`"none"`). */
  readonly isolation?: IsolationKind;
  /** Names of environment variables that the agent may see. */
  readonly env?: readonly string[];
  /** What a run may do beyond reading the evaluation's folder and writing its temp folder: `read`, `write`, `spawn`, `addons`. */
  readonly permissions?: Permissions;
  /** Other `permissions`, `env` and `gateway` for the checker than for the agent. */
  readonly checker?: CheckerOptions;
  /** Lifts Node's permission model from the run's process. */
  readonly trusted?: boolean;
  /**
   * For agents that bring their own SDK: their process finds `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`,
   * `GOOGLE_GEMINI_BASE_URL` and the keys for them in its environment, and `context.gateway` has the same. They lead to
   * the gateway, which holds the real keys, counts and records every call. With isolation "none" there is only
   * `context.gateway`.
   */
  readonly gateway?: boolean;
  /** Makes providers of your own, in the run's process, with the variables in `env`. */
  readonly providerFactory?: ProviderFactory;
  /** Replies of the `scripted` provider, by model name. */
  readonly scripts?: Scripts;
  /**
   * How models are called, by `provider` or by `provider/model`, which wins: temperature, service tier and the like where
   * a call does not say its own, headers, a base URL, and as `body` whatever else the provider takes.
   */
  readonly modelOptions?: Readonly<Record<string, ModelOptions>>;
  /** Prices by `provider/model`, in dollars per million tokens. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** Labels of the evaluation, by which lists are filtered. */
  readonly tags?: readonly string[];
  /** When it starts by itself once it is deployed: `rate(1 day)` or `cron(0 8 * * ? *)`. */
  readonly schedule?: string;
  /**
   * At its end the evaluation compares itself with an earlier one, or with the last ones of its name, and reports a
   * significant drop in accuracy or rise in cost or runtime; `webhook` names the variable with the address.
   */
  readonly drift?: DriftInput;
  /** Conditions on every model's results: exit code 3 where one is missed, 5 where more problems are needed to decide. */
  readonly gates?: GatesInput;
  /** Called after every run with a read-only view. */
  onUpdate?(
    stats: Readonly<Record<ModelKey, ModelStats>>,
    logs: readonly NoInfer<EntryOf<Given, Expected, Result>>[],
  ): void;
  /** Called with the log entry of each run when it ends. */
  onEntry?(entry: NoInfer<EntryOf<Given, Expected, Result>>): void;
  /** Stops the evaluation when it is aborted; `--resume` continues it. */
  readonly signal?: AbortSignal;
  /** Folder of the store; `false` keeps nothing on disk. */
  readonly store?: string | false;
}

/** A log entry with the types of its evaluation; what did not fit into the entry, and a run without a result, are `null`. */
export type EntryOf<Given = unknown, Expected = unknown, Result = unknown> = Omit<
  LogEntry,
  "problem" | "expected" | "result"
> & {
  readonly problem: Given;
  readonly expected: Expected | null;
  readonly result: Result | null;
};

/** Item of `problems`, which may be anything; that a list of two is a pair is said for TypeScript, which then reads it as one. */
export type ProblemItem =
  | NonNullable<unknown>
  | null
  | undefined
  | readonly [problem: unknown, expected: unknown];

/** A recipe whose types come from the items of its `problems`, and from what its `buildAgent` gives. */
export type WrittenOptions<Item, Result, Variant> = EvaluationOptions<
  ProblemOf<Item>,
  ExpectedOf<Item>,
  Result,
  Item,
  Variant
>;

/** The same recipe as a file's default export. */
export const defineEvaluation = <Item extends ProblemItem, Result, Variant = undefined>(
  options: WrittenOptions<Item, Result, Variant>,
): WrittenOptions<Item, Result, Variant> => options;
