import type { Message as BedrockMessage, ContentBlock, ImageFormat } from "@aws-sdk/client-bedrock-runtime";
import { BedrockOpaque, fromBase64, type KeptBlock, toContentBlock } from "./bedrock-blocks.ts";
import type { Message, Part } from "./contract.ts";
import { readImageType } from "./image-type.ts";
import { toObjectInput } from "./object-input.ts";
import { type AssistantMessage, type ToolMessage, toTurns } from "./to-turns.ts";

/** The conversation as Converse has it: two roles strictly in turn, and no blank text. */
export const toBedrockMessages = (messages: readonly Message[]): BedrockMessage[] =>
  toTurns<ContentBlock>(messages, { part: toPart, assistant: toAssistantBlocks, toolResult: toToolResult });

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

function toAssistantBlocks(message: AssistantMessage): ContentBlock[] {
  const kept = BedrockOpaque.safeParse(message.opaque);
  const blocks = kept.success ? withCallsOf(message, kept.data.blocks) : plainBlocks(message);
  return blocks.filter((block) => !("text" in block) || block.text.trim() !== "").map(toContentBlock);
}

/** A call that the agent left out has no result, and the API refuses a call without one. */
function withCallsOf({ toolCalls }: AssistantMessage, blocks: readonly KeptBlock[]): readonly KeptBlock[] {
  const ids = new Set(toolCalls.map(({ id }) => id));
  return blocks.filter((block) => !("toolUse" in block) || ids.has(block.toolUse.toolUseId));
}

const plainBlocks = ({ content, toolCalls }: AssistantMessage): readonly KeptBlock[] => [
  { text: content },
  ...toolCalls.map(({ id, name, input }) => ({
    toolUse: { toolUseId: id, name, input: toObjectInput(input) },
  })),
];

const toToolResult = (message: ToolMessage): ContentBlock => ({
  toolResult: {
    toolUseId: message.toolCallId,
    content: [{ text: message.content.trim() === "" ? "(empty)" : message.content }],
    ...(message.isError ? { status: "error" } : {}),
  },
});
