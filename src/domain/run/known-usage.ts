import type { CallUsage } from "./usage.ts";

/**
 * As many tokens of a kind as one run may use, and so any call of it. A million runs with two judged rounds each, input
 * and output, add up to 8 × 10¹⁵, and whole numbers are exact up to 9 × 10¹⁵.
 */
export const MAX_TOKENS = 1_000_000_000;

/** The first count that is more than a run may use; null when there is none. */
export function excessOf(usage: Partial<CallUsage>): readonly [name: string, tokens: number] | null {
  for (const [name, tokens = 0] of Object.entries(usage)) if (tokens > MAX_TOKENS) return [name, tokens];
  return null;
}

/** What a reply says it used; null where that cannot be, for then nobody knows. */
export function knownUsage<Said extends Partial<CallUsage>>(said: Said | null | undefined): Said | null {
  if (said === null || typeof said !== "object") return null;
  const isKnown = Object.values(said).every((tokens) => tokens === undefined || isCount(tokens));
  return isKnown ? said : null;
}

const isCount = (tokens: number): boolean => Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS;
