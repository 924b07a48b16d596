import * as z from "zod";
import type { Usage } from "./usage.ts";

const UsdPerMillion = z.number().nonnegative();

/** Dollars per million tokens; cached input costs as much as input unless said otherwise. */
export const Price = z.strictObject({
  input: UsdPerMillion,
  output: UsdPerMillion,
  cachedInput: UsdPerMillion.optional(),
});
export type Price = z.infer<typeof Price>;

/** Whole nano-dollars, so that sums do not depend on their order; an unknown price stays unknown. */
export function costNanoUsd(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  // Some report cached tokens beside the input instead of within it.
  const fresh = Math.max(0, usage.inputTokens - usage.cachedInputTokens);
  const cached = usage.cachedInputTokens * (price.cachedInput ?? price.input);
  // Dollars per million tokens are thousands of nano-dollars per token.
  return Math.round((fresh * price.input + cached + usage.outputTokens * price.output) * 1_000);
}

export const toUsd = (nanoUsd: number): number => nanoUsd / 1e9;
export const toNanoUsd = (usd: number): number => Math.round(usd * 1e9);
