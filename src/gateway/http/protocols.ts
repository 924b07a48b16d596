import * as z from "zod";
import type { CallUsage } from "../../domain/run/usage.ts";
import { AnthropicAnswer, readAnthropicStream, toAnthropicReply } from "../../providers/anthropic/reply.ts";
import { GeminiAnswer, readGeminiStream, toGeminiReply } from "../../providers/gemini/reply.ts";
import { ChatAnswer, readChatStream, toChatReply } from "../../providers/openai/chat-reply.ts";
import { ResponsesAnswer, toResponsesReply } from "../../providers/openai/responses.ts";
import type { ChatChunk, ChatReply } from "../../providers/provider.ts";
import { readGeminiUsage, readMessagesUsage, readOpenaiUsage } from "../../providers/usage.ts";
import type { Protocol } from "./request.ts";

/** How the replies of one API are read. `readWhole` and `readPieces` throw at what they do not know. */
interface WireProtocol {
  readWhole(body: unknown): ChatReply;
  readPieces(pieces: readonly unknown[]): Promise<ChatReply>;
  /** What was counted so far, of a reply that is not whole or not one that we know. */
  readUsage(pieces: readonly unknown[]): CallUsage | null;
  /** After this piece the agent may take the reply as whole. */
  isLast(data: string, piece: unknown): boolean;
  hasText(piece: unknown): boolean;
}

const Fields = z.looseObject({});
const HasUsage = z.object({ usage: Fields });
const HasType = z.object({ type: z.string() });
const typeOf = (piece: unknown): string => HasType.safeParse(piece).data?.type ?? "";

const chat: WireProtocol = {
  readWhole: (body) => toChatReply(ChatAnswer.parse(body)),
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
  readWhole: (body) => toResponsesReply(ResponsesAnswer.parse(body)),
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
  readWhole: (body) => toAnthropicReply(AnthropicAnswer.parse(body)),
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
  readWhole: (body) => toGeminiReply(GeminiAnswer.parse(body), 0),
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
