import { type ThinkingConfig, ThinkingLevel } from "@google/genai";
import type { ChatRequest } from "./contract.ts";

const FIRST_WITH_BUDGETS = 205;
const FIRST_WITH_LEVELS = 300;
const BUDGETS = { minimal: 0, low: 2_048, medium: 8_192, high: 24_576 } as const;
/** Where thinking cannot be switched off. */
const SMALLEST_PRO_BUDGET = 128;
const LEVELS = {
  minimal: ThinkingLevel.MINIMAL,
  low: ThinkingLevel.LOW,
  medium: ThinkingLevel.MEDIUM,
  high: ThinkingLevel.HIGH,
} as const;

/** Which Gemini a model name means, as major × 100 + minor; one without a number is the newest, null none at all. */
export function geminiVersion(model: string): number | null {
  const name = /gemini-(.*)/.exec(model)?.[1];
  if (name === undefined) return null;
  const numbers = /^(\d+)(?:\.(\d+))?/.exec(name);
  return numbers === null ? Number.POSITIVE_INFINITY : Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}

/** Models that cannot think refuse to be asked for it. */
export function toThinkingConfig({ model, reasoningEffort }: ChatRequest): ThinkingConfig | null {
  const version = geminiVersion(model);
  if (reasoningEffort === undefined || version === null || version < FIRST_WITH_BUDGETS) return null;
  const isPro = /\bpro\b/.test(model);
  if (version < FIRST_WITH_LEVELS) {
    const budget = BUDGETS[reasoningEffort];
    return { thinkingBudget: isPro ? Math.max(SMALLEST_PRO_BUDGET, budget) : budget };
  }
  return { thinkingLevel: LEVELS[isPro && reasoningEffort === "minimal" ? "low" : reasoningEffort] };
}
