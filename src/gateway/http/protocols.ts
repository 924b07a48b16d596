import * as z from "zod";
import { definedFields, Json } from "../../domain/json.ts";
import { readAnthropicAnswer, readAnthropicStream } from "../../providers/anthropic/reply.ts";
import { readGeminiAnswer, readGeminiStream } from "../../providers/gemini/reply.ts";
import { readChatAnswer, readChatStream } from "../../providers/openai/chat-reply.ts";
import { readResponsesAnswer } from "../../providers/openai/responses.ts";
import type { ChatChunk, ChatReply, UsageReport } from "../../providers/provider.ts";
import { readGeminiUsage, readMessagesUsage, readOpenaiUsage } from "../../providers/usage.ts";
import type { GatewayRoute, Protocol } from "./request.ts";

/** Readers of one API's replies. `readWhole` and `readPieces` throw at what they do not know. */
interface WireProtocol {
  readWhole(body: unknown): ChatReply;
  readPieces(pieces: readonly unknown[]): Promise<ChatReply>;
  /** The tokens counted so far, of a reply that is not whole or not one that we know. */
  readUsage(pieces: readonly unknown[]): UsageReport;
  /** After this piece the agent may take the reply as whole. */
  isLast(data: string, piece: unknown): boolean;
  hasText(piece: unknown): boolean;
}

const Fields = z.looseObject({});
const HasUsage = z.object({ usage: Fields });
const HasType = z.object({ type: z.string() });
const typeOf = (piece: unknown): string => HasType.safeParse(piece).data?.type ?? "";

const chat: WireProtocol = {
  readWhole: readChatAnswer,
  readPieces: (pieces) => lastReply(readChatStream(inTurn(pieces))),
  readUsage: (pieces) => readOpenaiUsage(mergedUsage(pieces, HasUsage)),
  isLast: (data) => data === "[DONE]",
  hasText: (piece) => ChatText.safeParse(piece).success,
};
const ChatText = z.object({
  choices: z.tuple([z.object({ delta: z.object({ content: z.string().min(1) }) })], z.unknown()),
});

const ENDS_OF_RESPONSES = ["response.completed", "response.incomplete", "response.failed"];
const HasResponse = z.object({ response: Fields });
const responses: WireProtocol = {
  readWhole: readResponsesAnswer,
  async readPieces(pieces) {
    const end = pieces.findLast((piece) => ENDS_OF_RESPONSES.includes(typeOf(piece)));
    return this.readWhole(HasResponse.parse(end).response);
  },
  readUsage(pieces) {
    const within = pieces.map((piece) => HasResponse.safeParse(piece).data?.response ?? piece);
    return readOpenaiUsage(mergedUsage(within, HasUsage));
  },
  isLast: (_data, piece) => ENDS_OF_RESPONSES.includes(typeOf(piece)),
  hasText: (piece) => typeOf(piece) === "response.output_text.delta",
};

const HasMessage = z.object({ message: Fields });
const messages: WireProtocol = {
  readWhole: readAnthropicAnswer,
  readPieces: (pieces) => lastReply(readAnthropicStream(inTurn(pieces))),
  readUsage(pieces) {
    const within = pieces.map((piece) => HasMessage.safeParse(piece).data?.message ?? piece);
    return readMessagesUsage(mergedUsage(within, HasUsage));
  },
  isLast: (_data, piece) => typeOf(piece) === "message_stop",
  hasText: (piece) => MessageText.safeParse(piece).success,
};
const MessageText = z.object({
  type: z.literal("content_block_delta"),
  delta: z.object({ text: z.string() }),
});

const HasMetadata = z.object({ usageMetadata: Fields }).transform(({ usageMetadata: usage }) => ({ usage }));
const gemini: WireProtocol = {
  readWhole: (body) => readGeminiAnswer(body, 0),
  readPieces: (pieces) => lastReply(readGeminiStream(inTurn(pieces), 0)),
  readUsage: (pieces) => readGeminiUsage(mergedUsage(pieces, HasMetadata)),
  // Its streams just end.
  isLast: () => false,
  hasText: (piece) => GeminiText.safeParse(piece).success,
};
const GeminiText = z.object({
  candidates: z.tuple(
    [
      z.object({
        content: z.object({ parts: z.tuple([z.object({ text: z.string().min(1) })], z.unknown()) }),
      }),
    ],
    z.unknown(),
  ),
});

export const PROTOCOLS: Readonly<Record<Protocol, WireProtocol>> = { chat, responses, messages, gemini };

/** Reads a body, or the pieces of a stream; one that broke off or is of an unknown kind is kept as it came. */
export async function readReply(
  protocol: Protocol,
  body: unknown,
): Promise<UsageReport & { readonly reply: Json | null }> {
  if (body === null) return { reply: null, usage: null };
  const wire = PROTOCOLS[protocol];
  try {
    const reply = Array.isArray(body) ? await wire.readPieces(body) : wire.readWhole(body);
    const { usage, otherUsage, warnings } = reply;
    return { reply: reply as Json, usage, ...definedFields({ otherUsage, warnings }) };
  } catch {
    const pieces = Array.isArray(body) ? body : [body];
    return { reply: Json.safeParse(body).data ?? null, ...wire.readUsage(pieces) };
  }
}

/** The last counts are for the whole reply, and may leave out those that did not change. */
function mergedUsage(
  pieces: readonly unknown[],
  shape: z.ZodType<{ usage: Record<string, unknown> }>,
): object | null {
  const known = pieces
    .flatMap((piece) => Object.entries(shape.safeParse(piece).data?.usage ?? {}))
    .filter(([, count]) => count != null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

async function* inTurn(pieces: readonly unknown[]): AsyncGenerator<unknown> {
  yield* pieces;
}

async function lastReply(chunks: AsyncIterable<ChatChunk>): Promise<ChatReply> {
  for await (const chunk of chunks) if (chunk.kind === "reply") return chunk.reply;
  throw new Error("the stream ended before the reply did");
}

/** One server-sent event: its text as it came, blank line included, and the data in it. */
export interface SentEvent {
  readonly raw: string;
  readonly data: string;
}

/** Far more than any event of a model has. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** The events of a stream as they come; what follows the last blank line comes as an event of its own. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const text = rest + decoder.decode(chunk, { stream: true });
    // A blank line may have begun in what was read before.
    let from = 0;
    const blank = /\r\n\r\n|\n\n|\r\r/g;
    blank.lastIndex = Math.max(0, rest.length - 3);
    for (let found = blank.exec(text); found !== null; found = blank.exec(text)) {
      yield toEvent(text.slice(from, blank.lastIndex));
      from = blank.lastIndex;
    }
    rest = text.slice(from);
    if (rest.length > MAX_EVENT_CHARACTERS) throw new Error("one event of the stream has more than 16 MB");
  }
  rest += decoder.decode();
  if (rest !== "") yield toEvent(rest);
}

function toEvent(raw: string): SentEvent {
  const data = raw
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /, ""));
  return { raw, data: data.join("\n") };
}

const Streamed = z.looseObject({
  stream: z.literal(true),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
const UsageAlone = z.object({ choices: z.tuple([]), usage: z.looseObject({}) });

/** A stream of Chat Completions says what it used only when asked: the request with that question, or null if it needs none. */
export function withUsage(route: GatewayRoute, request: Json | null): object | null {
  if (route.path !== "chat/completions") return null;
  const { success, data } = Streamed.safeParse(request);
  if (!success || data.stream_options?.include_usage) return null;
  return { ...data, stream_options: { ...data.stream_options, include_usage: true } };
}

/** The answer to that question, which an agent that did not ask may stumble over. */
export const isUsageAlone = (piece: unknown): boolean => UsageAlone.safeParse(piece).success;
