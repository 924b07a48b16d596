import * as z from "zod";
import type { Model } from "./model.ts";
import type { CallUsage } from "./usage.ts";
import { toWhole } from "./whole.ts";

/** More than a dollar a token is a slip. */
const UsdPerMillion = z.number().nonnegative().max(1_000_000);

/** A run that costs more has been counted wrong, or should end. */
export const MAX_RUN_USD = 1_000_000;

/** Dollars per million tokens; what is not said costs as much as what it is part of. */
export const Price = z.strictObject({
  input: UsdPerMillion,
  output: UsdPerMillion,
  /** Input that was read from the provider's cache. */
  cachedInput: UsdPerMillion.optional(),
  /** Input that was written to it. */
  cacheWrite: UsdPerMillion.optional(),
  /** Output that nobody sees. */
  reasoning: UsdPerMillion.optional(),
});
export type Price = z.infer<typeof Price>;

/** What model calls cost, in whole nano-dollars; what is not known is null. */
export interface PriceList {
  /** What has to be waited for before the model's costs are known; null if nothing. */
  open(model: Model): Promise<unknown> | null;
  costNanoUsd(model: Model, usage: CallUsage): number | null;
}

/** Whole nano-dollars, so that sums do not depend on their order. */
export function costNanoUsd(usage: CallUsage, price: Price): number {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens = 0, reasoningTokens } = usage;
  const cost =
    // Some report cached tokens beside the input instead of within it.
    Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens) * price.input +
    cachedInputTokens * (price.cachedInput ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    Math.max(0, outputTokens - reasoningTokens) * price.output +
    Math.min(reasoningTokens, outputTokens) * (price.reasoning ?? price.output);
  // Dollars per million tokens are thousands of nano-dollars per token.
  return toWhole(cost * 1_000);
}

export const toUsd = (nanoUsd: number): number => nanoUsd / 1e9;
export const toNanoUsd = (usd: number): number => toWhole(usd * 1e9);
