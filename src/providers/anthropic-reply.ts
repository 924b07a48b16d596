import * as z from "zod";
import { Json } from "../domain/json.ts";
import { knownUsage } from "../domain/known-usage.ts";
import type { CallUsage } from "../domain/usage.ts";
import { anthropicOpaque } from "./anthropic-messages.ts";
import { cacheWrites } from "./cache-writes.ts";
import type { ChatReply } from "./contract.ts";

const tokens = z.int().nonnegative().nullish();

const AnswerBlock = z.union([
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: Json }),
  z.looseObject({ type: z.string() }),
]);
type AnswerBlock = z.infer<typeof AnswerBlock>;

/** What is read of an answer of Anthropic's Messages API. */
export const AnthropicAnswer = z.object({
  id: z.string().nullish(),
  content: z.array(AnswerBlock),
  stop_reason: z.string(),
  stop_details: z.object({ explanation: z.string().nullish() }).nullish(),
  usage: z
    .object({
      input_tokens: tokens,
      output_tokens: tokens,
      cache_creation_input_tokens: tokens,
      cache_creation: z.object({ ephemeral_1h_input_tokens: tokens }).nullish(),
      cache_read_input_tokens: tokens,
      output_tokens_details: z.object({ thinking_tokens: tokens }).nullish(),
    })
    .nullish()
    .catch(null),
});
export type AnthropicAnswer = z.infer<typeof AnthropicAnswer>;

export function toAnthropicReply(answer: AnthropicAnswer): ChatReply {
  const { content: blocks, stop_reason, stop_details, usage } = answer;
  const text = blocks.map((block) => (isText(block) ? block.text : "")).join("");
  const toolCalls = blocks.filter(isToolUse).map(({ id, name, input }) => ({ id, name, input }));
  const isPlain = blocks.every((block) => isText(block) || isToolUse(block));
  return {
    content: text || (stop_reason === "refusal" ? (stop_details?.explanation ?? "") : ""),
    toolCalls,
    finishReason: FINISH_REASONS[stop_reason] ?? "other",
    usage: usage == null ? null : knownUsage(toUsage(usage)),
    id: answer.id ?? null,
    // Blocks come out of JSON.
    ...(isPlain ? {} : { opaque: anthropicOpaque(blocks as readonly Json[]) }),
  };
}

const isText = (block: AnswerBlock): block is Extract<AnswerBlock, { type: "text"; text: string }> =>
  block.type === "text" && "text" in block;

const isToolUse = (block: AnswerBlock): block is Extract<AnswerBlock, { type: "tool_use"; id: string }> =>
  block.type === "tool_use" && "input" in block;

const FINISH_REASONS: Readonly<Record<string, ChatReply["finishReason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
};

/** What was read from or written to the cache is not in Anthropic's `input_tokens`. */
function toUsage(usage: NonNullable<AnthropicAnswer["usage"]>): CallUsage {
  const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  return {
    inputTokens: (usage.input_tokens ?? 0) + written + cachedInputTokens,
    outputTokens: usage.output_tokens ?? 0,
    cachedInputTokens,
    reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
    ...cacheWrites(written, usage.cache_creation?.ephemeral_1h_input_tokens),
  };
}
