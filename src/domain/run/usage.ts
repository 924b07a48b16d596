import * as z from "zod";
import type { Model } from "../model.ts";
import { addWhole, toWhole } from "./amounts.ts";

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

/** Prices of model calls, in whole nano-dollars; null where one is not known. */
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

const Tokens = z.int().nonnegative();

/** Tokens as the provider reported them; cached are part of input, reasoning part of output. */
export const Usage = z.object({
  inputTokens: Tokens,
  outputTokens: Tokens,
  cachedInputTokens: Tokens,
  reasoningTokens: Tokens,
});
export type Usage = z.infer<typeof Usage>;

/** Usage of one model call; what it wrote to the provider's cache is part of input, and has a price of its own. */
export const CallUsage = Usage.extend({
  cacheWriteTokens: Tokens.optional(),
  /** The part of it that is to stay for an hour instead of minutes. */
  cacheWriteHourTokens: Tokens.optional(),
});
export type CallUsage = z.infer<typeof CallUsage>;

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: addWhole(a.inputTokens, b.inputTokens),
  outputTokens: addWhole(a.outputTokens, b.outputTokens),
  cachedInputTokens: addWhole(a.cachedInputTokens, b.cachedInputTokens),
  reasoningTokens: addWhole(a.reasoningTokens, b.reasoningTokens),
});

export const totalTokens = (usage: Usage): number => addWhole(usage.inputTokens, usage.outputTokens);
