import * as z from "zod";
import { Budget } from "../domain/budget.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { type EvaluationId, ProblemId } from "../domain/ids.ts";
import { Limits, SomeLimits } from "../domain/limits.ts";
import { ModelKey, ModelPair, VariantName } from "../domain/model.ts";
import type { Run } from "../domain/plan.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { ModelStats } from "../domain/stats/stats.ts";

/** What may be asked of a definition beside its name. */
const Asked = {
  /** Instead of the definition's: pairs, or `provider/model`. */
  models: z
    .array(z.union([ModelPair, ModelKey], "expected provider/model"))
    .min(1)
    .max(100)
    .optional(),
  /** Names of the definition's variants; all of them unless given. */
  variants: z.array(VariantName).min(1).max(100).optional(),
  problemIds: z.array(ProblemId).min(1).max(100_000).optional(),
  /** Instead of the definition's, written as in one. */
  problems: z.array(z.unknown()).min(1).max(100_000).optional(),
  trials: z.int().min(1).max(1_000).optional(),
  concurrency: z.int().min(1).max(1_000).optional(),
  /** Only what differs from the definition's. */
  limits: SomeLimits.optional(),
  /** Instead of the definition's. */
  budget: Budget.optional(),
  /** Added to the definition's. */
  tags: z.array(z.string().min(1).max(100)).max(50).optional(),
};

const isOneChoice = ({ problemIds, problems }: { problemIds?: unknown; problems?: unknown }): boolean =>
  problemIds === undefined || problems === undefined;
const ONE_CHOICE = {
  path: ["problemIds"],
  message: "problemIds picks from the definition's problems; it cannot be combined with problems",
};
/** The same, for those who read the JSON schema. */
const NOT_BOTH = { not: { required: ["problemIds", "problems"] } };

/** Request that starts an evaluation, wherever it runs: the body of a POST, the event of a schedule, `run --remote`. */
export const StartRequest = z
  .strictObject({
    /** The name of a definition. */
    evaluation: z.string().min(1).max(100),
    ...Asked,
  })
  .refine(isOneChoice, ONE_CHOICE)
  .meta(NOT_BOTH);
export type StartRequest = z.output<typeof StartRequest>;

/** Request that lets an evaluation grow: these models and problems too, and at least so many trials. */
export const GrowRequest = z
  .strictObject({
    ...Asked,
    /** What is not given here is taken from the definition as it is now, instead of staying as it was. */
    fromDefinition: z.boolean().optional(),
    /** Runs that failed are run again instead of being taken over. */
    retryFailed: z.boolean().optional(),
  })
  .refine(isOneChoice, ONE_CHOICE)
  .meta(NOT_BOTH);
export type GrowRequest = z.output<typeof GrowRequest>;

/** Request for another round, with what it may do otherwise than the one before. */
export const RetryRequest = z.strictObject({ budget: Budget.optional() });
export type RetryRequest = z.output<typeof RetryRequest>;

/** A definition as people choose it. */
export const DefinitionSummary = z.object({
  name: z.string(),
  models: z.array(ModelKey),
  /** Null when only reading all of them would say. */
  problemCount: z.int().nonnegative().nullable(),
  trials: z.int().positive(),
  concurrency: z.int().positive(),
  limits: Limits,
  tags: z.array(z.string()),
  /** `rate(…)` or `cron(…)`, for those that run by themselves in the cloud. */
  schedule: z.string().nullable(),
});
export type DefinitionSummary = z.infer<typeof DefinitionSummary>;

/** Runs evaluations: on this machine, or in an AWS account. What it refuses is an `EvaluatorError`. */
export interface Engine {
  definitions(): Promise<readonly DefinitionSummary[]>;
  /** Answers as soon as the evaluation is stored. An id that exists already is that evaluation: nothing starts twice. */
  start(request: StartRequest, options?: { readonly id?: EvaluationId }): Promise<EvaluationRecord>;
  /** Starts no further run; one that is not running is `evaluation.not_running`. */
  cancel(id: EvaluationId): Promise<EvaluationRecord>;
  /** A new round of failed and missing runs; one that still runs is `evaluation.running`. */
  retry(id: EvaluationId, request?: RetryRequest): Promise<EvaluationRecord>;
  /**
   * Another evaluation that holds this one and more: what ended here is taken over, only the rest is run. One that
   * still runs is `evaluation.running`; a request for nothing more is `evaluation.nothing_new`.
   */
  grow(
    id: EvaluationId,
    request: GrowRequest,
    options?: { readonly id?: EvaluationId },
  ): Promise<EvaluationRecord>;
  /**
   * A round that checks stored results again with the definition's checker of today and runs no agents; one that still
   * runs is `evaluation.running`.
   */
  check(id: EvaluationId): Promise<EvaluationRecord>;
  /** What the runs add up to so far, where the engine knows it without reading them; null elsewhere. */
  liveStats?(id: EvaluationId): Readonly<Record<ModelKey, ModelStats>> | null;
  /** Whether whoever worked on it is gone without a word, where the engine can tell. */
  isLost?(record: EvaluationRecord): boolean;
}

/** Hears how an evaluation goes, on this machine or elsewhere. */
export interface EvaluationListener {
  started?(info: StartInfo): void;
  runStarted?(run: Run): void;
  /** Every entry as it is saved; on resume first those that are there already. */
  entry?(entry: LogEntry): void;
  warning?(message: string): void;
  /** How many calls at a time a provider takes from now on; null is as many as there are. */
  limited?(providerKey: string, calls: number | null): void;
}

export interface StartInfo {
  readonly record: EvaluationRecord;
  readonly total: number;
  readonly alreadyDone: number;
  readonly models: readonly ModelKey[];
}

export interface EvaluationOutcome {
  readonly record: EvaluationRecord;
  readonly stats: Record<ModelKey, ModelStats>;
}
