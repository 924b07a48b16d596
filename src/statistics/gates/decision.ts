import { plural } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { Estimate } from "../../domain/stats/estimate.ts";
import type { Gates } from "../../domain/stats/gates.ts";
import { formatAbout } from "../compare.ts";

/** The decision of one gate on one model. */
export interface GateResult {
  readonly gate: keyof Gates;
  /** The tag or metric that it is about; null for the others. */
  readonly name: string | null;
  readonly model: ModelKey;
  readonly outcome: "passed" | "failed" | "undecided";
  /** What had to be reached; of a drop, the lowest difference to the baseline that is allowed. */
  readonly limit: number;
  readonly measured: Estimate | null;
  /** With about so many in all it would be decided, if the number measured stays as it is. */
  readonly needed: GateNeed | null;
  /** The same in words, without the model. */
  readonly says: string;
}

export type GateOutcome = GateResult["outcome"];
type GateNeed = { readonly problems: number } | { readonly trials: number };

/** Subject of a gate, before it is decided. */
export type GateSubject = Pick<GateResult, "gate" | "name" | "model" | "limit">;

/** Results of a gate that has nothing to judge; it must not stay open. */
export const withoutEvidence = (subject: GateSubject, says: string): GateResult => ({
  ...subject,
  ...{ outcome: "failed", measured: null, needed: null, says },
});

interface CloseCall {
  readonly estimate: Estimate;
  readonly limit: number;
  /** The number of problems, or of trials. */
  readonly count: number;
  /** The spread of a share depends on the share. */
  readonly isShare: boolean;
}

/** Nobody runs more than this to decide a gate. */
const MOST_NEEDED = 100_000;

/**
 * Computes how many would bring the interval's end to the limit: its width shrinks with their root, as that of Wilson's
 * does. Null when the limit is so close that no number worth running would do.
 */
export function countNeeded({ estimate, limit, count, isShare }: CloseCall): number | null {
  const { value, low, high } = estimate;
  const end = value > limit ? low : high;
  const spread = (share: number): number => (isShare ? share * (1 - share) : 1);
  const times = ((value - end) / (value - limit)) ** 2 * (spread(limit) / spread(end));
  const needed = Math.max(count + 1, Math.ceil(count * times));
  return needed <= MOST_NEEDED ? needed : null;
}

/** Says what would decide: `; if it stays so, about 61 problems would decide`. */
export const neededWords = (needed: number | null, what: "problem" | "trial"): string =>
  needed === null
    ? `; it is so close to the limit that more ${what}s may not decide`
    : `; if it stays so, about ${formatAbout(needed)} ${what}s would decide`;

/** Formats an interval in brackets: `(95% CI 60–98, 10 problems)`. */
export const evidence = (interval: string, problems: number): string =>
  `(95% CI ${interval}, ${plural(problems, "problem")})`;
