import * as z from "zod";

const FIELDS = {
  /** Working time of the agent; waiting for a rate limit does not count. */
  timeoutSeconds: z.number().positive().max(86_400),
  /** How long a run may wait for rate limits altogether. */
  maxWaitSeconds: z.number().nonnegative().max(86_400),
  /** Memory of the run's process and everything it started. */
  memoryMb: z.int().min(64).max(1_048_576),
  /** What a run may keep in its temp folder. */
  diskMb: z.int().positive().max(1_048_576),
  /** What a run may print before it is ended. */
  outputKb: z.int().positive().max(1_048_576),
  /** The stored JSON of a result. */
  resultKb: z.int().positive().max(16_384),
  /** Tokens of all model calls of a run, in and out. */
  maxTokens: z.int().positive(),
  /** Model calls of one run. */
  maxTurns: z.int().positive(),
  /** Dollars that the model calls of a run may cost. */
  maxCostUsd: z.number().positive(),
} as const;

/** Some of the limits, without defaults for the others. */
export const SomeLimits = z.strictObject(FIELDS).partial();

/** Limits of one run, at which the evaluator ends it. */
export const Limits = SomeLimits.extend({
  timeoutSeconds: FIELDS.timeoutSeconds.default(300),
  maxWaitSeconds: FIELDS.maxWaitSeconds.default(600),
  memoryMb: FIELDS.memoryMb.default(1_024),
  diskMb: FIELDS.diskMb.default(1_024),
  outputKb: FIELDS.outputKb.default(10_240),
  resultKb: FIELDS.resultKb.default(1_024),
});
export type Limits = z.output<typeof Limits>;
export type LimitsInput = z.input<typeof Limits>;
