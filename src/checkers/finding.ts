import type { Finding, Verdict } from "./contract.ts";

export const right = (reason: string): Finding => ({ correct: true, score: 1, reason });
export const wrong = (reason: string, score = 0): Finding => ({ correct: false, score, reason });
export const cannotSay = (reason: string): Finding => ({ correct: null, score: null, reason });

/** The mean of scores by their weights, in whole millionths as stats add them up. */
export function meanScore(parts: readonly { readonly score: number; readonly weight: number }[]): number {
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const sum = parts.reduce((total, { score, weight }) => total + score * weight, 0);
  return Math.round((sum / whole) * 1e6) / 1e6;
}

/** A verdict in full: what it does not say follows from what it does. */
export function toFinding(verdict: Verdict): Finding {
  if (verdict === null || typeof verdict === "boolean") {
    return { correct: verdict, score: scoreOf(verdict), reason: WORDS[String(verdict)] ?? "" };
  }
  const { correct, score, reason } = verdict;
  return { correct, score: score ?? scoreOf(correct), reason: reason ?? WORDS[String(correct)] ?? "" };
}

const WORDS: Readonly<Record<string, string>> = { true: "right", false: "wrong", null: "cannot say" };

const scoreOf = (correct: boolean | null): number | null => (correct === null ? null : Number(correct));
