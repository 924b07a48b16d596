import type { Json } from "../domain/json.ts";
import type { TranscriptStep } from "../domain/transcript.ts";
import type { ChatProvider } from "../providers/contract.ts";

export interface CheckContext {
  readonly signal: AbortSignal;
  readonly problem: Json;
  readonly problemId: string;
  readonly providerKey: string;
  readonly model: string;
  readonly trial: number;
  readonly tags: readonly string[];
  readonly transcript: readonly TranscriptStep[];
  /** A model for checkers that judge with one. */
  provider(providerKey: string): ChatProvider;
}

/** `null` means: cannot say. */
export type Verdict = boolean | null | { correct: boolean | null; score?: number; reason?: string };
