import * as z from "zod";
import { FAILURE_CAUSES, FailureCause } from "./failure.ts";
import type { Tally } from "./stats.ts";
import { addUsage, NO_USAGE, Usage } from "./usage.ts";
import { addWhole } from "./whole.ts";

const Count = z.int().nonnegative().default(0);

/** A tally as JSON can hold it; what an older release did not count yet is 0. */
export const StoredTally = z.object({
  correct: Count,
  wrong: Count,
  unscored: Count,
  failures: z.partialRecord(FailureCause, z.int().nonnegative()),
  usage: Usage,
  unknownUsage: Count,
  costNanoUsd: z.int().default(0),
  knownCosts: Count,
  unknownCosts: Count,
  judgeUsage: Usage.default(NO_USAGE),
  judgeCostNanoUsd: z.int().default(0),
  knownJudgeCosts: Count,
  unknownJudgeCosts: Count,
  scoreMicros: z.int().default(0),
  scores: Count,
  runtimeMs: Count,
  /** Pairs of milliseconds and how many runs took that long. */
  runtimes: z.array(z.tuple([z.int().nonnegative(), z.int().positive()])),
} satisfies Record<keyof Tally, z.ZodType>);
export type StoredTally = z.infer<typeof StoredTally>;

export const toStoredTally = (tally: Tally): StoredTally => ({ ...tally, runtimes: [...tally.runtimes] });

export const fromStoredTally = (stored: StoredTally): Tally => ({
  ...stored,
  failures: { ...stored.failures },
  runtimes: new Map(stored.runtimes),
});

/** Adds a part to a whole; in any order the sums are the same. */
export function mergeTally(into: Tally, part: Tally): void {
  for (const field of SUMMED) into[field] = addWhole(into[field], part[field]);
  into.scoreMicros += part.scoreMicros;
  for (const cause of FAILURE_CAUSES) {
    const count = part.failures[cause] ?? 0;
    if (count > 0) into.failures[cause] = (into.failures[cause] ?? 0) + count;
  }
  into.usage = addUsage(into.usage, part.usage);
  into.judgeUsage = addUsage(into.judgeUsage, part.judgeUsage);
  for (const [runtimeMs, times] of part.runtimes) {
    into.runtimes.set(runtimeMs, (into.runtimes.get(runtimeMs) ?? 0) + times);
  }
}

/** Scores may be below 0, so their sum stands by itself. */
type NumberField = Exclude<
  { [Field in keyof Tally]: Tally[Field] extends number ? Field : never }[keyof Tally],
  "scoreMicros"
>;

// A table by field, so that a new number in a tally cannot be forgotten here.
const SUMMED_FIELDS = {
  correct: true,
  wrong: true,
  unscored: true,
  unknownUsage: true,
  costNanoUsd: true,
  knownCosts: true,
  unknownCosts: true,
  judgeCostNanoUsd: true,
  knownJudgeCosts: true,
  unknownJudgeCosts: true,
  scores: true,
  runtimeMs: true,
} as const satisfies Record<NumberField, true>;
const SUMMED = Object.keys(SUMMED_FIELDS) as readonly NumberField[];
