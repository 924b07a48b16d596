import type { Json } from "../domain/json.ts";
import type { TranscriptStep } from "../domain/run/log-entry.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import type { ChatProvider } from "../providers/provider.ts";

export interface CheckContext {
  readonly signal: AbortSignal;
  readonly problem: Json;
  readonly problemId: string;
  readonly providerKey: string;
  readonly model: string;
  readonly trial: number;
  readonly tags: readonly string[];
  readonly transcript: readonly TranscriptStep[];
  /** A model for checkers that judge with one; what it uses counts as the judge's. */
  provider(providerKey: string): ChatProvider;
  /** For checkers that call models in another way; `model` says whose price applies, by default the run's. */
  reportUsage(usage: Partial<CallUsage>, model?: { providerKey: string; model: string }): void;
}

/** `null` means: cannot say. */
export type Verdict =
  | boolean
  | null
  | { correct: boolean | null; score?: number | null; reason?: string | null };

/** Says whether a result is right; runs outside the agent's process. */
export interface Checker {
  (result: unknown, expected: unknown, context: CheckContext): Verdict | Promise<Verdict>;
  /** Keys of the providers that it asks, so that a missing API key is told before anything runs. */
  readonly asks?: readonly string[];
}

/** What the checkers of this package say: why, in words for a person, and a score from 0 to 1 where there is a verdict. */
export interface Finding {
  readonly correct: boolean | null;
  readonly score: number | null;
  readonly reason: string;
}
