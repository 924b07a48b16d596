import * as z from "zod";
import { Budget } from "./budget.ts";
import { EvaluationId } from "./ids.ts";
import { Limits } from "./limits.ts";
import { ModelKey } from "./model.ts";
import { Recheck } from "./run/verdict.ts";
import { Drift } from "./stats/drift.ts";
import { Gates } from "./stats/gates.ts";
import { ModelStats } from "./stats/stats.ts";

/** Another commit of the evaluation file, the words that the user gave for it, and the variant that it is. */
export const OtherCommit = z.object({ ref: z.string(), commit: z.string(), variant: z.string() });
export type OtherCommit = z.infer<typeof OtherCommit>;

/** Origin of an evaluation, to tell whether another one asked the same; null is what nobody knows. */
export const Provenance = z.object({
  /** Digest of the problems' ids and contents, in whatever order. */
  problems: z.string(),
  /** The git commit of the evaluation file's folder, and whether files differed from it. */
  commit: z.string().nullable(),
  isDirty: z.boolean().nullable(),
  /** The version of this package. */
  version: z.string().nullable(),
});
export type Provenance = z.infer<typeof Provenance>;

export const EvaluationStatus = z.enum(["running", "finished", "cancelled", "broken"]);
export type EvaluationStatus = z.infer<typeof EvaluationStatus>;

/** One execution of a definition, as the store keeps it: enough to show it and to go on with it. */
export const EvaluationRecord = z.object({
  v: z.literal(1),
  id: EvaluationId,
  name: z.string(),
  status: EvaluationStatus,
  /** The evaluation file, relative to where it was started; null when a script started it. */
  file: z.string().nullable(),
  fingerprint: z.string().nullable(),
  models: z.array(z.object({ providerKey: z.string(), model: z.string(), variant: z.string().optional() })),
  trials: z.int().positive(),
  problemCount: z.int().nonnegative(),
  limits: Limits,
  round: z.int().positive(),
  tags: z.array(z.string()),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** The process that works on it, as `host:pid` and what tells it from a later one of that number. */
  owner: z.string().nullable(),
  /** Runs at the same time; null when an older release started it. */
  concurrency: z.int().positive().nullable().default(null),
  /** What its runs added up to when it ended; null while it runs, and where an older release counted otherwise. */
  stats: z.record(ModelKey, ModelStats).nullable().default(null).catch(null),
  /** The evaluation that it took its first runs over from. */
  grownFrom: EvaluationId.nullable().default(null),
  /** Whether it took over what had failed there too; otherwise that is run again. */
  keepsFailed: z.boolean().default(true),
  /** The last round that only checked results again. */
  recheck: Recheck.nullable().default(null),
  /** What all its runs may use together; null is as much as they need. */
  budget: Budget.nullable().default(null),
  /** When no further run starts, by the budget's minutes. */
  deadline: z.iso.datetime().nullable().default(null),
  /** It was stopped before its runs had ended, in the cloud: they may still change its stats. */
  hasLateRuns: z.literal(true).optional(),
  /** With what it compares itself at its end, in the cloud; elsewhere its definition is at hand. */
  drift: Drift.optional(),
  /** The commit whose version of the file runs beside the current one, as the variant of this name. */
  against: OtherCommit.optional(),
  /** Conditions on its results, as its definition has them. */
  gates: Gates.optional().catch(undefined),
  /** Not there where an older release started it. */
  provenance: Provenance.optional(),
  /** So many entries were found that its evaluator had not written; none of them counts. */
  foreignEntries: z.int().positive().optional(),
  /** Name of the durable execution that works on it, in the cloud. */
  execution: z.string().nullable().default(null),
  /** The runner that all its runs use, in the cloud. */
  runnerVersion: z.string().nullable().default(null),
});
export type EvaluationRecord = z.infer<typeof EvaluationRecord>;
