import * as z from "zod";
import { Json } from "../domain/json.ts";
import { knownUsage } from "../domain/known-usage.ts";
import type { CallUsage } from "../domain/usage.ts";
import { cacheWrites } from "./cache-writes.ts";
import type { ChatReply, ToolCall } from "./contract.ts";
import { toToolInput } from "./tool-input.ts";

const tokens = z.int().nonnegative().nullish();

const ChatUsage = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  prompt_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: tokens }).nullish(),
});

/** What is read of an answer in the Chat Completions protocol. */
export const ChatAnswer = z.object({
  id: z.string().nullish(),
  choices: z.tuple(
    [
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning_details: Json.nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().nullish(),
                function: z.object({ name: z.string(), arguments: z.union([z.string(), Json]).nullish() }),
              }),
            )
            .nullish(),
        }),
      }),
    ],
    z.unknown(),
  ),
  usage: ChatUsage.nullish().catch(null),
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;
type AnswerMessage = ChatAnswer["choices"][0]["message"];

export function toChatReply(answer: ChatAnswer): ChatReply {
  const [{ message, finish_reason }] = answer.choices;
  const toolCalls = (message.tool_calls ?? []).map((call, index) =>
    toToolCall(call, index, answer.id ?? "call"),
  );
  const opaque = toOpaque(message);
  return {
    content: message.content || message.refusal || "",
    toolCalls,
    finishReason: message.refusal ? "refusal" : toFinishReason(finish_reason, toolCalls),
    usage: knownUsage(toUsage(answer.usage)),
    id: answer.id ?? null,
    ...(opaque === null ? {} : { opaque }),
  };
}

type AnswerToolCall = NonNullable<AnswerMessage["tool_calls"]>[number];

/** Some servers give no id, and some give the arguments as an object. */
function toToolCall(call: AnswerToolCall, index: number, replyId: string): ToolCall {
  const { name, arguments: given } = call.function;
  return {
    id: call.id || `${replyId}_${index}`,
    name,
    input: typeof given === "string" ? toToolInput(given) : (given ?? {}),
  };
}

function toFinishReason(
  reason: string | null | undefined,
  toolCalls: readonly ToolCall[],
): ChatReply["finishReason"] {
  if (reason === "length") return "length";
  if (reason === "content_filter") return "refusal";
  // Some servers end a tool round with `stop`.
  if (toolCalls.length > 0) return "tool_calls";
  return reason === "stop" || reason === "eos" ? "stop" : "other";
}

const toUsage = (usage: ChatAnswer["usage"]): CallUsage | null =>
  usage == null || (usage.prompt_tokens == null && usage.completion_tokens == null)
    ? null
    : {
        inputTokens: usage.prompt_tokens ?? 0,
        outputTokens: usage.completion_tokens ?? 0,
        cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
        reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
        ...cacheWrites(usage.prompt_tokens_details?.cache_write_tokens),
      };

const Thinking = z.object({
  kind: z.literal("chat-completions"),
  thinking: z.object({ reasoning_content: z.string(), reasoning_details: Json }).partial(),
});

/** Some models go on only if they get their thinking back with the tools' results. */
function toOpaque({ reasoning_content, reasoning_details }: AnswerMessage): Json | null {
  if (!reasoning_content && reasoning_details == null) return null;
  const thinking = {
    ...(reasoning_content ? { reasoning_content } : {}),
    ...(reasoning_details == null ? {} : { reasoning_details }),
  };
  return { kind: "chat-completions", thinking };
}

/** What goes back into an assistant message; what another provider gave is left out. */
export function chatOpaque(opaque: Json | undefined): { readonly [key: string]: Json } {
  const read = Thinking.safeParse(opaque);
  return read.success ? ({ ...read.data.thinking } as { readonly [key: string]: Json }) : {};
}
