import type Anthropic from "@anthropic-ai/sdk";
import * as z from "zod";
import type { Json } from "../domain/json.ts";
import type { Message, Part } from "./contract.ts";
import { readImageType } from "./image-type.ts";
import { mergeTurns } from "./merge-turns.ts";
import { toObjectInput } from "./object-input.ts";

type Block = Anthropic.ContentBlockParam;

/** The conversation as Anthropic has it: two roles in turn, and all results of one round in one message. */
export const toAnthropicMessages = (messages: readonly Message[]): Anthropic.MessageParam[] =>
  mergeTurns(messages.flatMap(toTurn));

function toTurn(message: Message): { role: "user" | "assistant"; content: Block[] }[] {
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

const toUserBlocks = (content: string | readonly Part[]): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content.map(toPart);

function toPart(part: Part): Block {
  if (part.kind === "text") return { type: "text", text: part.text };
  const media_type = readImageType(part.mediaType);
  return { type: "image", source: { type: "base64", media_type, data: part.base64 } };
}

/** What a reply carries along so that its thinking goes back as it came, in its place. */
export const AnthropicOpaque = z.object({
  kind: z.literal("anthropic"),
  blocks: z.array(z.looseObject({ type: z.string(), id: z.string().optional() })),
});

function toAssistantBlocks(message: Extract<Message, { role: "assistant" }>): Block[] {
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

const toToolResult = (message: Extract<Message, { role: "tool" }>): Block => ({
  type: "tool_result",
  tool_use_id: message.toolCallId,
  ...(message.content === "" ? {} : { content: message.content }),
  ...(message.isError ? { is_error: true } : {}),
});

export const anthropicOpaque = (blocks: readonly Json[]): Json => ({ kind: "anthropic", blocks });
