import * as z from "zod";
import { isCheckable } from "./is-checkable.ts";
import type { LogEntry } from "./log-entry.ts";

/** A round that runs no agents and checks the results of earlier ones again, with the checker of its time. */
export const Recheck = z.object({
  round: z.int().positive(),
  /** Of the code that the checker is part of. */
  fingerprint: z.string().nullable(),
  /** The runner that it uses, in the cloud; runs of agents stay with the evaluation's own. */
  runnerVersion: z.string().nullable(),
  /** Results that were left as they were, because the round was stopped or a runner got lost; null while it runs. */
  unchecked: z.int().nonnegative().nullable(),
});
export type Recheck = z.infer<typeof Recheck>;

/** Whether a round of an evaluation, the present one unless another is given, only checks. */
export const isChecking = (
  record: { readonly round: number; readonly recheck: Recheck | null },
  round: number = record.round,
): boolean => record.recheck?.round === round;

/** Whether a round that checks still owes a verdict on an earlier result. */
export const isUnchecked = (entry: Pick<LogEntry, "failure" | "round">, round: number): boolean =>
  entry.round < round && isCheckable(entry);
