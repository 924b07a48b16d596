import * as z from "zod";
import { Json, parseJson } from "../../domain/json.ts";
import { failedAnswer, parseAnswer } from "../failed-call.ts";
import type { CallPlace, ChatChunk, ChatReply, ProviderError, ToolCall } from "../provider.ts";
import { readGeminiUsage } from "../usage.ts";

const ErrorBody = z.object({
  error: z.object({
    message: z.string().default(""),
    details: z
      .array(z.looseObject({ reason: z.string().optional(), retryDelay: z.string().optional() }))
      .default([]),
  }),
});

/** Reads what Gemini says in the body of an error: the SDK's own error has no headers. */
export async function geminiFailure(place: CallPlace, answer: Response): Promise<ProviderError> {
  const text = await answer.text();
  const said = ErrorBody.safeParse(parseJson(text)).data?.error;
  const { message, details } = said ?? { message: text.slice(0, 1_000), details: [] };
  const isBadKey = details.some(({ reason }) => reason === "API_KEY_INVALID");
  return failedAnswer(place, {
    // A wrong key is a 400 here, like a wrong request.
    status: isBadKey ? 401 : answer.status,
    message,
    headers: withRetryDelay(answer.headers, details),
  });
}

/** How long to wait stands in the body, as in "34.07s". */
function withRetryDelay(
  headers: Headers,
  details: readonly { readonly retryDelay?: string | undefined }[],
): Headers {
  const seconds = /^([\d.]+)s$/.exec(details.find(({ retryDelay }) => retryDelay)?.retryDelay ?? "")?.[1];
  if (seconds === undefined || headers.has("retry-after")) return headers;
  const added = new Headers(headers);
  added.set("retry-after", seconds);
  return added;
}

/** Puts the pieces of a stream together: text as it comes, then the reply that the same call gives in one piece. */
export async function* readGeminiStream(
  pieces: AsyncIterable<unknown>,
  turn: number,
): AsyncGenerator<ChatChunk> {
  const parts: AnswerPart[] = [];
  let whole: GeminiAnswer = {};
  let finishReason: string | null = null;
  for await (const piece of pieces) {
    const answer = GeminiAnswer.parse(piece);
    const candidate = answer.candidates?.[0];
    finishReason = candidate?.finishReason ?? finishReason;
    whole = { ...whole, ...withoutBlanks(answer) };
    for (const part of candidate?.content?.parts ?? []) {
      addPart(parts, part);
      if (part.text && !part.thought) yield { kind: "text", text: part.text };
    }
  }
  const isBlocked = Boolean(whole.promptFeedback?.blockReason);
  if (finishReason === null && !isBlocked) throw new Error("the stream ended before the reply did");
  const candidates = finishReason === null ? [] : [{ content: { parts }, finishReason }];
  yield { kind: "reply", reply: toGeminiReply({ ...whole, candidates }, turn) };
}

const withoutBlanks = (answer: GeminiAnswer): GeminiAnswer =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => value != null));

/** Pieces of plain text become one part; a part with a signature stays as it came. */
function addPart(parts: AnswerPart[], part: AnswerPart): void {
  const last = parts.at(-1);
  if (last !== undefined && isPlainText(last) && isPlainText(part) && last.thought === part.thought) {
    parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` };
    return;
  }
  parts.push(part);
}

const isPlainText = (part: AnswerPart): boolean =>
  part.text !== undefined && Object.keys(part).every((key) => key === "text" || key === "thought");

const AnswerPart = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z
    .looseObject({ id: z.string().nullish(), name: z.string(), args: Json.nullish() })
    .optional(),
});
type AnswerPart = z.infer<typeof AnswerPart>;

/** What is read of an answer, or of one piece of it, of Gemini's `generateContent`. */
const GeminiAnswer = z.object({
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
  usageMetadata: z.unknown().optional(),
});
type GeminiAnswer = z.infer<typeof GeminiAnswer>;

const WholeAnswer = GeminiAnswer.refine(
  ({ candidates, promptFeedback, usageMetadata }) => candidates ?? promptFeedback ?? usageMetadata,
  "it has neither candidates nor usageMetadata",
);

/** Reads an answer; `turn` is the length of the conversation, so that ids are unique where Gemini gives none. */
export const readGeminiAnswer = (answer: unknown, turn: number): ChatReply =>
  toGeminiReply(
    parseAnswer(WholeAnswer, answer, ({ usageMetadata }) => readGeminiUsage(usageMetadata).usage),
    turn,
  );

function toGeminiReply(answer: GeminiAnswer, turn: number): ChatReply {
  const { promptFeedback, usageMetadata, responseId } = answer;
  const known = {
    ...readGeminiUsage(usageMetadata),
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
