import * as z from "zod";

/** What one run may use before the evaluator ends it. */
export const Limits = z.strictObject({
  /** Working time of the agent; waiting for a rate limit does not count. */
  timeoutSeconds: z.number().positive().max(86_400).default(300),
  /** How long a run may wait for rate limits altogether. */
  maxWaitSeconds: z.number().nonnegative().max(86_400).default(600),
  /** Memory of the run's process and everything it started. */
  memoryMb: z.int().min(64).default(1_024),
  /** What a run may print before it is ended. */
  outputKb: z.int().positive().default(10_240),
  /** The stored JSON of a result. */
  resultKb: z.int().positive().max(16_384).default(1_024),
  maxTokens: z.int().positive().optional(),
  /** Model calls of one run. */
  maxTurns: z.int().positive().optional(),
  maxCostUsd: z.number().positive().optional(),
});
export type Limits = z.output<typeof Limits>;
export type LimitsInput = z.input<typeof Limits>;
