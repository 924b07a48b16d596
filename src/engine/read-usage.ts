import type { CallUsage } from "../domain/usage.ts";
import { toWhole } from "../domain/whole.ts";

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "reasoningTokens",
  "cacheWriteTokens",
  "cacheWriteHourTokens",
] as const satisfies readonly (keyof CallUsage)[];

/** Tokens that user code reported; what is no count is refused where it is told, and what is too much ends the run. */
export function readUsage(usage: Partial<CallUsage>): Partial<CallUsage> {
  const counts = COUNTS.flatMap((name) => {
    const tokens = usage[name];
    if (tokens === undefined) return [];
    if (Number.isInteger(tokens) && tokens >= 0) return [[name, toWhole(tokens)] as const];
    throw new TypeError(`reportUsage: ${name} is ${String(tokens)}; expected a whole number from 0`);
  });
  return Object.fromEntries(counts);
}
