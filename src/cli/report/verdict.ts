import type { LogEntry } from "../../domain/log-entry.ts";
import type { Span, Style } from "../text/line.ts";

export type Verdict = "correct" | "wrong" | "failed" | "unscored";

/** Colour and symbol always go together, so that neither is needed to understand the other. */
export const MARKS = {
  correct: { symbol: "✓", style: "green" },
  wrong: { symbol: "✗", style: "red" },
  failed: { symbol: "!", style: "yellow" },
  unscored: { symbol: "?", style: "cyan" },
} as const satisfies Record<Verdict, { symbol: string; style: Style }>;

export function verdictOf(entry: Pick<LogEntry, "failure" | "correct">): Verdict {
  if (entry.failure !== null) return "failed";
  if (entry.correct === null) return "unscored";
  return entry.correct ? "correct" : "wrong";
}

export const verdictMark = (verdict: Verdict): Span => [MARKS[verdict].symbol, MARKS[verdict].style];
