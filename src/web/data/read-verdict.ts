import type { FailureCause } from "../../domain/failure.ts";
import { VERDICT } from "../../domain/verdict.ts";

export type Outcome = "right" | "wrong" | "failed" | "open";

export interface VerdictInfo {
  readonly outcome: Outcome;
  readonly symbol: string;
  readonly words: string;
  readonly cause: FailureCause | null;
}

const PLAIN: Readonly<Record<string, VerdictInfo>> = {
  [VERDICT.correct]: { outcome: "right", symbol: "✓", words: "right", cause: null },
  [VERDICT.wrong]: { outcome: "wrong", symbol: "✗", words: "wrong", cause: null },
  [VERDICT.unscored]: { outcome: "open", symbol: "?", words: "the checker could not say", cause: null },
  [VERDICT.missing]: { outcome: "open", symbol: "·", words: "not run yet", cause: null },
};

const FAILED: Readonly<Record<string, VerdictInfo>> = Object.fromEntries(
  Object.entries(VERDICT)
    .filter(([, letter]) => !(letter in PLAIN))
    .map(([cause, letter]) => [
      letter,
      { outcome: "failed", symbol: "!", words: `failed: ${cause}`, cause: cause as FailureCause },
    ]),
);

/** What one character of a verdict row means to a reader; an unknown one is a run that is not done. */
export const readVerdict = (letter: string): VerdictInfo =>
  PLAIN[letter] ?? FAILED[letter] ?? { outcome: "open", symbol: "·", words: "not run yet", cause: null };
