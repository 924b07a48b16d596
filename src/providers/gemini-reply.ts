import * as z from "zod";
import { Json } from "../domain/json.ts";
import { knownUsage } from "../domain/known-usage.ts";
import type { Usage } from "../domain/usage.ts";
import type { ChatReply, ToolCall } from "./contract.ts";

const tokens = z.int().nonnegative().nullish();

const AnswerPart = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z
    .looseObject({ id: z.string().nullish(), name: z.string(), args: Json.nullish() })
    .optional(),
});
export type AnswerPart = z.infer<typeof AnswerPart>;

/** What is read of an answer, or of one piece of it, of Gemini's `generateContent`. */
export const GeminiAnswer = z.object({
  responseId: z.string().nullish(),
  candidates: z
    .array(
      z.object({
        content: z.object({ parts: z.array(AnswerPart).nullish() }).nullish(),
        finishReason: z.string().nullish(),
      }),
    )
    .nullish(),
  promptFeedback: z
    .object({ blockReason: z.string().nullish(), blockReasonMessage: z.string().nullish() })
    .nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: tokens,
      toolUsePromptTokenCount: tokens,
      candidatesTokenCount: tokens,
      thoughtsTokenCount: tokens,
      cachedContentTokenCount: tokens,
    })
    .nullish()
    .catch(null),
});
export type GeminiAnswer = z.infer<typeof GeminiAnswer>;

/** `turn` is the length of the conversation, so that ids are unique where Gemini gives none. */
export function toGeminiReply(answer: GeminiAnswer, turn: number): ChatReply {
  const { promptFeedback, usageMetadata, responseId } = answer;
  const known = {
    usage: usageMetadata == null ? null : knownUsage(toUsage(usageMetadata)),
    id: responseId ?? null,
  };
  const candidate = answer.candidates?.[0];
  if (candidate === undefined) {
    if (!promptFeedback?.blockReason)
      throw new Error("the answer has neither a candidate nor a reason why not");
    const content = promptFeedback.blockReasonMessage ?? "";
    return { content, toolCalls: [], finishReason: "refusal", ...known };
  }
  const parts = candidate.content?.parts ?? [];
  const toolCalls = toToolCalls(parts, turn);
  const isPlain = parts.every((part) =>
    Object.keys(part).every((key) => key === "text" || key === "functionCall"),
  );
  const callIds = toolCalls.map(({ id }) => id);
  return {
    content: parts.map(({ text, thought }) => (thought ? "" : (text ?? ""))).join(""),
    toolCalls,
    finishReason: toFinishReason(candidate.finishReason, toolCalls),
    ...known,
    // Parts come out of JSON.
    ...(isPlain ? {} : { opaque: { kind: "gemini", parts: parts as readonly Json[], callIds } }),
  };
}

const toToolCalls = (parts: readonly AnswerPart[], turn: number): ToolCall[] =>
  parts
    .flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]))
    .map(({ id, name, args }, index) => ({ id: id || `call_${turn}_${index}`, name, input: args ?? {} }));

const REFUSALS = [
  "SAFETY",
  "RECITATION",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
];

function toFinishReason(
  reason: string | null | undefined,
  toolCalls: readonly ToolCall[],
): ChatReply["finishReason"] {
  if (reason === "MAX_TOKENS") return "length";
  if (REFUSALS.includes(reason ?? "")) return "refusal";
  // Gemini has no reason of its own for a tool round.
  if (toolCalls.length > 0) return "tool_calls";
  return reason === "STOP" ? "stop" : "other";
}

/** Thoughts are not in Gemini's count of the candidates; what came from the cache is in that of the prompt. */
function toUsage(usage: NonNullable<GeminiAnswer["usageMetadata"]>): Usage {
  const reasoningTokens = usage.thoughtsTokenCount ?? 0;
  return {
    inputTokens: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    outputTokens: (usage.candidatesTokenCount ?? 0) + reasoningTokens,
    cachedInputTokens: usage.cachedContentTokenCount ?? 0,
    reasoningTokens,
  };
}
