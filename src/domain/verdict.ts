import type { FailureCause } from "./failure.ts";
import type { LogEntry } from "./log-entry.ts";
import type { RunSpan } from "./run-number.ts";

/** One letter per run that ended without a verdict. */
const CAUSE_LETTERS = {
  no_answer: "n",
  agent_error: "a",
  timeout: "t",
  limit: "l",
  provider_error: "p",
  rate_limited: "r",
  out_of_memory: "m",
  crashed: "c",
  checker_error: "k",
  budget: "b",
  cancelled: "x",
} as const satisfies Record<FailureCause, string>;

export const VERDICT = { correct: "+", wrong: "-", unscored: "?", missing: ".", ...CAUSE_LETTERS } as const;
export type Verdict = (typeof VERDICT)[keyof typeof VERDICT];

/** What became of the runs of a part of the plan: one character of `VERDICT` for each, in plan order. */
export interface VerdictRow {
  readonly from: number;
  readonly verdicts: string;
}

export function verdictOf({ failure, correct }: Pick<LogEntry, "failure" | "correct">): Verdict {
  if (failure !== null) return CAUSE_LETTERS[failure.cause];
  if (correct === null) return VERDICT.unscored;
  return correct ? VERDICT.correct : VERDICT.wrong;
}

/** The row of a span; a run without an entry is missing. */
export function verdictRow(
  { from, to }: RunSpan,
  entries: Iterable<Pick<LogEntry, "index" | "failure" | "correct">>,
): VerdictRow {
  const verdicts = Array<string>(to - from).fill(VERDICT.missing);
  for (const entry of entries) {
    if (entry.index >= from && entry.index < to) verdicts[entry.index - from] = verdictOf(entry);
  }
  return { from, verdicts: verdicts.join("") };
}
