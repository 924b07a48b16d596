import type { GatewayAccess } from "../domain/gateway-access.ts";
import { type Json, showBriefly } from "../domain/json.ts";
import { isScore, MAX_SCORE } from "../domain/run/amounts.ts";
import type { TranscriptStep } from "../domain/run/log-entry.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import type { ChatProvider } from "../providers/provider.ts";

/** The run that a checker judges. */
export interface CheckContext {
  readonly signal: AbortSignal;
  readonly problem: Json;
  readonly problemId: string;
  readonly providerKey: string;
  readonly model: string;
  /** The name of the variant that ran; not there where the evaluation has none. */
  readonly variant?: string;
  readonly trial: number;
  readonly tags: readonly string[];
  readonly transcript: readonly TranscriptStep[];
  /** The base URL and key for the checker's own SDK, whose calls count as the judge's; null unless the evaluation says so. */
  readonly gateway: GatewayAccess | null;
  /** A model for checkers that judge with one; what it uses counts as the judge's. */
  provider(providerKey: string): ChatProvider;
  /** For checkers that call models in another way; `model` says whose price applies, by default the run's. */
  reportUsage(usage: Partial<CallUsage>, model?: { providerKey: string; model: string }): void;
}

/** `null` means undecided. */
export type Verdict =
  | boolean
  | null
  | { correct: boolean | null; score?: number | null; reason?: string | null };

/** Says whether a result is right; runs outside the agent's process. */
export interface Checker {
  (result: unknown, expected: unknown, context: CheckContext): Verdict | Promise<Verdict>;
  /** Keys of the providers that it calls, so that a missing API key is reported before anything runs. */
  readonly asks?: readonly string[];
}

/** The verdict of the checkers of this package: always with a reason, and with a score from 0 to 1 unless undecided. */
export interface Finding {
  readonly correct: boolean | null;
  readonly score: number | null;
  readonly reason: string;
}

/** The part of a result to compare: its `value` field where a single value is expected, else the whole. */
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

/** Adds the keys of the providers that a checker and its parts call. */
export const asking = (checker: Checker, parts: readonly Checker[], own: readonly string[] = []): Checker =>
  Object.assign(checker, { asks: [...new Set([...own, ...parts.flatMap(({ asks = [] }) => asks)])] });

export const right = (reason: string): Finding => ({ correct: true, score: 1, reason });
export const wrong = (reason: string, score = 0): Finding => ({ correct: false, score, reason });
export const cannotSay = (reason: string): Finding => ({ correct: null, score: null, reason });

/** The mean of scores by their weights, in whole millionths as stats add them up. */
export function weightedMean(parts: readonly { readonly score: number; readonly weight: number }[]): number {
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const sum = parts.reduce((total, { score, weight }) => total + score * weight, 0);
  return Math.round((sum / whole) * 1e6) / 1e6;
}

/** Reads what a checker returned: a verdict, or in words why it is none. */
export function parseVerdict(given: unknown): (Omit<Finding, "reason"> & { reason: string | null }) | string {
  const verdict = given === null || typeof given === "boolean" ? { correct: given } : Object(given);
  const { correct, score = null, reason = null, ...others }: Readonly<Record<string, unknown>> = verdict;
  const [unknown] = Object.keys(others);
  const isFine =
    (correct === null || typeof correct === "boolean") &&
    (score === null || isScore(score)) &&
    (reason === null || typeof reason === "string");
  if (isFine && unknown === undefined) return { correct, score, reason };
  const stranger = isFine ? `, in which ${JSON.stringify(unknown)} means nothing` : "";
  const expected = `true, false, null or { correct, score?, reason? }, with a score up to ±${MAX_SCORE}`;
  return `the checker returned ${showBriefly(given)}${stranger}; expected ${expected}`;
}

/** Fills in the score and the reason that a part of a checker leaves out. */
export function toFinding(verdict: Verdict): Finding {
  const read = parseVerdict(verdict);
  if (typeof read === "string") throw new TypeError(read);
  const { correct, score, reason } = read;
  const own = correct === null ? null : Number(correct);
  return { correct, score: score ?? own, reason: reason ?? WORDS[`${correct}`] };
}

const WORDS = { true: "right", false: "wrong", null: "cannot say" } as const;
