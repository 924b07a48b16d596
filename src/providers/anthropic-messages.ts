import type Anthropic from "@anthropic-ai/sdk";
import * as z from "zod";
import type { Json } from "../domain/json.ts";
import type { Message, Part } from "./contract.ts";
import { readImageType } from "./image-type.ts";
import { toObjectInput } from "./object-input.ts";
import { type AssistantMessage, type ToolMessage, toTurns } from "./to-turns.ts";

type Block = Anthropic.ContentBlockParam;

/** The conversation as Anthropic has it: two roles in turn, and all results of one round in one message. */
export const toAnthropicMessages = (messages: readonly Message[]): Anthropic.MessageParam[] =>
  toTurns<Block>(messages, { part: toPart, assistant: toAssistantBlocks, toolResult: toToolResult });

function toPart(part: Part): Block {
  if (part.kind === "text") return { type: "text", text: part.text };
  const media_type = readImageType(part.mediaType);
  return { type: "image", source: { type: "base64", media_type, data: part.base64 } };
}

/** What a reply carries along so that its thinking goes back as it came, in its place. */
const AnthropicOpaque = z.object({
  kind: z.literal("anthropic"),
  blocks: z.array(z.looseObject({ type: z.string(), id: z.string().optional() })),
});

function toAssistantBlocks(message: AssistantMessage): Block[] {
  const kept = AnthropicOpaque.safeParse(message.opaque);
  if (kept.success) return keptBlocks(kept.data.blocks, message.toolCalls);
  const calls = message.toolCalls.map(
    ({ id, name, input }): Block => ({ type: "tool_use", id, name, input: toObjectInput(input) }),
  );
  // The API refuses blank text.
  return message.content.trim() === "" ? calls : [{ type: "text", text: message.content }, ...calls];
}

/** A call that the agent left out has no result, and the API refuses a call without one. */
function keptBlocks(
  blocks: z.infer<typeof AnthropicOpaque>["blocks"],
  toolCalls: readonly { readonly id: string }[],
): Block[] {
  const ids = new Set(toolCalls.map(({ id }) => id));
  const kept = blocks.filter(({ type, id }) => type !== "tool_use" || ids.has(id ?? ""));
  // They are the blocks that the API gave, and it takes them back.
  return kept as unknown as Block[];
}

const toToolResult = (message: ToolMessage): Block => ({
  type: "tool_result",
  tool_use_id: message.toolCallId,
  ...(message.content === "" ? {} : { content: message.content }),
  ...(message.isError ? { is_error: true } : {}),
});

export const anthropicOpaque = (blocks: readonly Json[]): Json => ({ kind: "anthropic", blocks });
