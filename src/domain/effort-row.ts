import * as z from "zod";
import type { LogEntry } from "./log-entry.ts";
import { toNanoUsd } from "./price.ts";
import type { RunSpan } from "./run-number.ts";
import { toWhole } from "./whole.ts";

/** What each run of a part of the plan took, in plan order; null for what says nothing of its model. */
export const EffortRow = z.object({
  runtimesMs: z.array(z.int().nonnegative().nullable()),
  /** Also null where the cost is not known. */
  costsNanoUsd: z.array(z.int().nullable()),
});
export type EffortRow = z.infer<typeof EffortRow>;

type Effort = Pick<LogEntry, "failure" | "runtimeSeconds" | "costUsd">;

/** What one run took; a run that its model is not to blame for says nothing of what the model takes. */
export function effortOf({ failure, runtimeSeconds, costUsd }: Effort) {
  if (failure !== null && failure.fault !== "model") return { runtimeMs: null, costNanoUsd: null };
  return {
    runtimeMs: toWhole(runtimeSeconds * 1_000),
    costNanoUsd: costUsd === null ? null : toNanoUsd(costUsd),
  };
}

export function effortRow(
  { from, to }: RunSpan,
  entries: Iterable<Effort & Pick<LogEntry, "index">>,
): EffortRow {
  const runtimesMs = Array<number | null>(to - from).fill(null);
  const costsNanoUsd = Array<number | null>(to - from).fill(null);
  for (const entry of entries) {
    if (entry.index < from || entry.index >= to) continue;
    const { runtimeMs, costNanoUsd } = effortOf(entry);
    runtimesMs[entry.index - from] = runtimeMs;
    costsNanoUsd[entry.index - from] = costNanoUsd;
  }
  return { runtimesMs, costsNanoUsd };
}
