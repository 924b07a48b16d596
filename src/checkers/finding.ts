import type { Checker, Finding, Verdict } from "./checker.ts";

/** What of a result is compared: its `value` field where a single value is expected, else the whole. */
export function comparedValue(result: unknown, expected: unknown): unknown {
  const isOneValue = expected === null || typeof expected !== "object";
  if (!isOneValue || typeof result !== "object" || result === null) return result;
  return Object.hasOwn(result, "value") && "value" in result ? result.value : result;
}

/** The same as text, for checkers that look into one. */
export function comparedText(result: unknown): string {
  const value = comparedValue(result, "");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const MAX_CHARACTERS = 120;

/** A value as a reason shows it: JSON, and not too much of it. */
export function showValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** The checker, with the keys of the providers that it and its parts ask. */
export const asking = (checker: Checker, parts: readonly Checker[], own: readonly string[] = []): Checker =>
  Object.assign(checker, { asks: [...new Set([...own, ...parts.flatMap(({ asks = [] }) => asks)])] });

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
