import type OpenAI from "openai";
import * as z from "zod";
import { Json } from "../domain/json.ts";
import { knownUsage } from "../domain/known-usage.ts";
import type { CallUsage } from "../domain/usage.ts";
import { cacheWrites } from "./cache-writes.ts";
import type { ChatReply, ToolCall } from "./contract.ts";
import { toToolInput } from "./tool-input.ts";

const tokens = z.int().nonnegative().nullish();

const MessageItem = z.object({
  type: z.literal("message"),
  content: z.array(
    z.union([
      z.object({ type: z.literal("output_text"), text: z.string() }),
      z.object({ type: z.literal("refusal"), refusal: z.string() }),
      z.object({ type: z.string() }),
    ]),
  ),
});
const CallItem = z.object({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const Item = z.union([MessageItem, CallItem, z.object({ type: z.string() })]);

/** What is read of an answer of the Responses API. */
export const ResponsesAnswer = z.object({
  id: z.string().nullish(),
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string() }).nullish(),
  output: z.array(z.intersection(Json, Item)),
  usage: z
    .object({
      input_tokens: tokens,
      output_tokens: tokens,
      input_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }).nullish(),
      output_tokens_details: z.object({ reasoning_tokens: tokens }).nullish(),
    })
    .nullish()
    .catch(null),
});
export type ResponsesAnswer = z.infer<typeof ResponsesAnswer>;

export function toResponsesReply(answer: ResponsesAnswer): ChatReply {
  const parts = answer.output.flatMap((item) => MessageItem.safeParse(item).data?.content ?? []);
  const isRefused = parts.some(({ type }) => type === "refusal");
  const toolCalls = answer.output.flatMap(toToolCalls);
  const opaque = toOpaque(answer.output);
  return {
    content: parts.map(textOf).join(""),
    toolCalls,
    finishReason: isRefused ? "refusal" : toFinishReason(answer, toolCalls),
    usage: knownUsage(toUsage(answer.usage)),
    id: answer.id ?? null,
    ...(opaque === null ? {} : { opaque }),
  };
}

function textOf(part: z.infer<typeof MessageItem>["content"][number]): string {
  if ("text" in part) return part.text;
  return "refusal" in part ? part.refusal : "";
}

function toToolCalls(item: Json): ToolCall[] {
  const { success, data } = CallItem.safeParse(item);
  return success ? [{ id: data.call_id, name: data.name, input: toToolInput(data.arguments) }] : [];
}

function toFinishReason(
  { status, incomplete_details }: ResponsesAnswer,
  toolCalls: readonly ToolCall[],
): ChatReply["finishReason"] {
  if (status === "incomplete") {
    return incomplete_details?.reason === "content_filter" ? "refusal" : "length";
  }
  if (toolCalls.length > 0) return "tool_calls";
  return status === "completed" ? "stop" : "other";
}

const toUsage = (usage: ResponsesAnswer["usage"]): CallUsage | null =>
  usage == null
    ? null
    : {
        inputTokens: usage.input_tokens ?? 0,
        outputTokens: usage.output_tokens ?? 0,
        cachedInputTokens: usage.input_tokens_details?.cached_tokens ?? 0,
        reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
        ...cacheWrites(usage.input_tokens_details?.cache_write_tokens),
      };

const OPAQUE = "openai-responses";
const Opaque = z.object({ kind: z.literal(OPAQUE), items: z.array(Json) });

/** Reasoning counts only together with the items that follow it, so the whole output is kept. */
function toOpaque(output: ResponsesAnswer["output"]): Json | null {
  if (!output.some(({ type }) => type === "reasoning")) return null;
  return { kind: OPAQUE, items: output };
}

/** The output of an earlier reply as it came; null if it has no reasoning, or came from another provider. */
export function outputItems(opaque: Json | undefined): OpenAI.Responses.ResponseInputItem[] | null {
  const { success, data } = Opaque.safeParse(opaque);
  return success ? (data.items as unknown as OpenAI.Responses.ResponseInputItem[]) : null;
}
