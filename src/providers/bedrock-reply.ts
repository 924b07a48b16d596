import type { ConverseCommandOutput, TokenUsage } from "@aws-sdk/client-bedrock-runtime";
import * as z from "zod";
import type { Json } from "../domain/json.ts";
import { knownUsage } from "../domain/known-usage.ts";
import type { CallUsage } from "../domain/usage.ts";
import { type KeptBlock, toKeptBlocks } from "./bedrock-blocks.ts";
import { cacheWrites } from "./cache-writes.ts";
import type { ChatReply } from "./contract.ts";

/** A reply of Converse, in one piece or put together from a stream. */
export interface BedrockAnswer {
  readonly blocks: readonly KeptBlock[];
  readonly stopReason: string;
  readonly usage: TokenUsage | undefined;
  readonly requestId: string | undefined;
}

export function readConverse({ output, stopReason, usage, $metadata }: ConverseCommandOutput): BedrockAnswer {
  if (output?.message === undefined || stopReason === undefined) {
    throw new Error("the answer has no message or does not say why it ended");
  }
  const blocks = (output.message.content ?? []).flatMap(toKeptBlocks);
  return { blocks, stopReason, usage, requestId: $metadata.requestId };
}

export function toBedrockReply({ blocks, stopReason, usage, requestId }: BedrockAnswer): ChatReply {
  const toolCalls = blocks
    .flatMap((block) => ("toolUse" in block ? [block.toolUse] : []))
    .map(({ toolUseId, name, input }) => ({ id: toolUseId, name, input }));
  const isPlain = blocks.every((block) => "text" in block || "toolUse" in block);
  return {
    content: blocks.map((block) => ("text" in block ? block.text : "")).join(""),
    toolCalls,
    finishReason: FINISH_REASONS[stopReason] ?? "other",
    usage: knownUsage(toUsage(BedrockUsage.parse(usage))),
    id: requestId ?? null,
    // No field of a kept block is undefined.
    ...(isPlain ? {} : { opaque: { kind: "bedrock", blocks: blocks as readonly Json[] } }),
  };
}

const FINISH_REASONS: Readonly<Record<string, ChatReply["finishReason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "refusal",
  guardrail_intervened: "refusal",
  refusal: "refusal",
};

const tokens = z.int().nonnegative().nullish();
/** The SDK passes on whatever number it was given, as a BigInt where it is large. */
const BedrockUsage = z
  .object({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadInputTokens: tokens,
    cacheWriteInputTokens: tokens,
    cacheDetails: z.array(z.object({ ttl: z.string().nullish(), inputTokens: tokens })).nullish(),
  })
  .nullish()
  .catch(null);

/** What was read from or written to the cache is not in Bedrock's `inputTokens`; reasoning is not told apart. */
function toUsage(usage: z.infer<typeof BedrockUsage>): CallUsage | null {
  if (usage == null) return null;
  const cachedInputTokens = usage.cacheReadInputTokens ?? 0;
  const written = usage.cacheWriteInputTokens ?? 0;
  const forAnHour = usage.cacheDetails?.find(({ ttl }) => ttl === "1h")?.inputTokens;
  return {
    inputTokens: (usage.inputTokens ?? 0) + written + cachedInputTokens,
    outputTokens: usage.outputTokens ?? 0,
    cachedInputTokens,
    reasoningTokens: 0,
    ...cacheWrites(written, forAnHour),
  };
}
