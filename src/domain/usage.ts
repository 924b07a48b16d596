import * as z from "zod";
import { addWhole } from "./whole.ts";

const Tokens = z.int().nonnegative();

/** Tokens as the provider reported them; cached are part of input, reasoning part of output. */
export const Usage = z.object({
  inputTokens: Tokens,
  outputTokens: Tokens,
  cachedInputTokens: Tokens,
  reasoningTokens: Tokens,
});
export type Usage = z.infer<typeof Usage>;

/** What one model call used; what it wrote to the provider's cache is part of input, and has a price of its own. */
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
