import type { GatewayAccess } from "../domain/gateway-access.ts";
import { definedFields, isRecord, type Json, showBriefly, whyNoMetadata } from "../domain/json.ts";
import { isScore, MAX_SCORE, type Metrics, whyNoMetrics } from "../domain/run/amounts.ts";
import type { TranscriptStep } from "../domain/run/log-entry.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import type { KeptVerdict } from "../domain/run/verdict.ts";
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

/**
 * `null` means undecided, and a number is a score without a yes or no. `metrics` are further numbers, each averaged and
 * compared on its own; `metadata`, of at most 2 KB, is kept with the run.
 */
export type Verdict =
  | boolean
  | number
  | null
  | {
      correct?: boolean | null;
      score?: number | null;
      reason?: string | null;
      metrics?: Metrics;
      metadata?: Json;
    };

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
  readonly metrics?: Metrics;
  readonly metadata?: Json;
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
export function parseVerdict(given: unknown): KeptVerdict | string {
  if (given === null || typeof given === "boolean") return { correct: given, score: null, reason: null };
  if (isScore(given)) return { correct: null, score: given, reason: null };
  const parts: Readonly<Record<string, unknown>> = isRecord(given) ? given : {};
  const { correct, score = null, reason = null, metrics = {}, metadata, ...others } = parts;
  const [stranger] = Object.keys(others);
  const saysSomething = correct !== undefined || score !== null || Object.hasOwn(parts, "metrics");
  const isFine =
    saysSomething &&
    (correct === undefined || correct === null || typeof correct === "boolean") &&
    (score === null || isScore(score)) &&
    (reason === null || typeof reason === "string");
  if (!isFine || stranger !== undefined)
    return noVerdict(given, isFine ? `, which has the unknown key ${JSON.stringify(stranger)}` : "");
  if (!isRecord(metrics)) return noVerdict(given, ", in which metrics is not an object");
  const why = whyNoMetrics(metrics) ?? whyNoMetadata(metadata);
  if (why !== null) return noVerdict(given, `, in which ${why}`);
  return {
    ...{ correct: correct ?? null, score, reason },
    ...(Object.keys(metrics).length === 0 ? {} : { metrics: metrics as Metrics }),
    ...(metadata === undefined ? {} : { metadata: metadata as Json }),
  };
}

const noVerdict = (given: unknown, why: string): string =>
  `the checker returned ${showBriefly(given)}${why}; expected true, false, null, a score, or ` +
  `{ correct, score?, reason?, metrics?, metadata? }, with numbers up to ±${MAX_SCORE}`;

/** Fills in the score and the reason that a part of a checker leaves out. */
export function toFinding(verdict: Verdict): Finding {
  const read = parseVerdict(verdict);
  if (typeof read === "string") throw new TypeError(read);
  const { correct, score, reason } = read;
  const own = correct === null ? null : Number(correct);
  const finding = { correct, score: score ?? own, reason: reason ?? WORDS[`${correct}`] };
  return { ...finding, ...definedFields({ metrics: read.metrics, metadata: read.metadata }) };
}

const WORDS = { true: "right", false: "wrong", null: "undecided" } as const;
