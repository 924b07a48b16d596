import * as z from "zod";
import { EvaluationId } from "./ids.ts";
import { Limits } from "./limits.ts";

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
  models: z.array(z.object({ providerKey: z.string(), model: z.string() })),
  trials: z.int().positive(),
  problemCount: z.int().nonnegative(),
  limits: Limits,
  round: z.int().positive(),
  tags: z.array(z.string()),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** `host:pid` of the process that works on it, so that a dead one can be told from a slow one. */
  owner: z.string().nullable(),
});
export type EvaluationRecord = z.infer<typeof EvaluationRecord>;
