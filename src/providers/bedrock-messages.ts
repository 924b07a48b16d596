import type { Message as BedrockMessage, ContentBlock, ImageFormat } from "@aws-sdk/client-bedrock-runtime";
import { BedrockOpaque, fromBase64, type KeptBlock, toContentBlock } from "./bedrock-blocks.ts";
import type { Message, Part } from "./contract.ts";
import { readImageType } from "./image-type.ts";
import { mergeTurns } from "./merge-turns.ts";
import { toObjectInput } from "./object-input.ts";

/** The conversation as Converse has it: two roles strictly in turn, and no blank text. */
export const toBedrockMessages = (messages: readonly Message[]): BedrockMessage[] =>
  mergeTurns(messages.flatMap(toTurn));

function toTurn(message: Message): { role: "user" | "assistant"; content: ContentBlock[] }[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: toUserBlocks(message.content) }];
    case "assistant":
      return [{ role: "assistant", content: toAssistantBlocks(message) }];
    case "tool":
      return [{ role: "user", content: [toToolResult(message)] }];
  }
}

const toUserBlocks = (content: string | readonly Part[]): ContentBlock[] =>
  typeof content === "string" ? [{ text: content }] : content.map(toPart);

function toPart(part: Part): ContentBlock {
  if (part.kind === "text") return { text: part.text };
  const format = FORMATS[readImageType(part.mediaType)];
  return { image: { format, source: { bytes: fromBase64(part.base64) } } };
}

const FORMATS = {
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
} as const satisfies Record<string, ImageFormat>;

function toAssistantBlocks(message: Extract<Message, { role: "assistant" }>): ContentBlock[] {
  const kept = BedrockOpaque.safeParse(message.opaque);
  const blocks = kept.success ? withCallsOf(message, kept.data.blocks) : plainBlocks(message);
  return blocks.filter((block) => !("text" in block) || block.text.trim() !== "").map(toContentBlock);
}

/** A call that the agent left out has no result, and the API refuses a call without one. */
function withCallsOf(
  { toolCalls }: Extract<Message, { role: "assistant" }>,
  blocks: readonly KeptBlock[],
): readonly KeptBlock[] {
  const ids = new Set(toolCalls.map(({ id }) => id));
  return blocks.filter((block) => !("toolUse" in block) || ids.has(block.toolUse.toolUseId));
}

const plainBlocks = ({
  content,
  toolCalls,
}: Extract<Message, { role: "assistant" }>): readonly KeptBlock[] => [
  { text: content },
  ...toolCalls.map(({ id, name, input }) => ({
    toolUse: { toolUseId: id, name, input: toObjectInput(input) },
  })),
];

const toToolResult = (message: Extract<Message, { role: "tool" }>): ContentBlock => ({
  toolResult: {
    toolUseId: message.toolCallId,
    content: [{ text: message.content.trim() === "" ? "(empty)" : message.content }],
    ...(message.isError ? { status: "error" } : {}),
  },
});
