import * as z from "zod";

const Tokens = z.int().nonnegative();

/** Tokens as the provider reported them; cached are part of input, reasoning part of output. */
export const Usage = z.object({
  inputTokens: Tokens,
  outputTokens: Tokens,
  cachedInputTokens: Tokens,
  reasoningTokens: Tokens,
});
export type Usage = z.infer<typeof Usage>;

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
});

export const totalTokens = (usage: Usage): number => usage.inputTokens + usage.outputTokens;
