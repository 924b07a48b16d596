import type { ContentBlock, ToolUseBlock } from "@aws-sdk/client-bedrock-runtime";
import * as z from "zod";
import { Json } from "../domain/json.ts";

/** A block of a reply as JSON can hold it, bytes as base64. */
export const KeptBlock = z.union([
  z.object({ text: z.string() }),
  z.object({ toolUse: z.object({ toolUseId: z.string(), name: z.string(), input: Json }) }),
  z.object({ reasoning: z.object({ text: z.string(), signature: z.string().optional() }) }),
  z.object({ redactedReasoning: z.string() }),
]);
export type KeptBlock = z.infer<typeof KeptBlock>;

/** What a reply carries along so that its reasoning goes back as it came, in its place. */
export const BedrockOpaque = z.object({ kind: z.literal("bedrock"), blocks: z.array(KeptBlock) });

/** Blocks that no contract of ours has a word for are left out. */
export function toKeptBlocks(block: ContentBlock): KeptBlock[] {
  if (block.text !== undefined) return [{ text: block.text }];
  if (block.toolUse !== undefined) return [{ toolUse: readToolUse(block.toolUse) }];
  const { reasoningText, redactedContent } = block.reasoningContent ?? {};
  if (redactedContent !== undefined) return [{ redactedReasoning: toBase64(redactedContent) }];
  if (reasoningText === undefined) return [];
  const { text = "", signature } = reasoningText;
  return [{ reasoning: { text, ...(signature === undefined ? {} : { signature }) } }];
}

const readToolUse = ({ toolUseId = "", name = "", input = {} }: ToolUseBlock) => ({
  toolUseId,
  name,
  input: Json.parse(input),
});

export function toContentBlock(block: KeptBlock): ContentBlock {
  if ("text" in block) return block;
  if ("reasoning" in block) return { reasoningContent: { reasoningText: block.reasoning } };
  if ("redactedReasoning" in block) {
    return { reasoningContent: { redactedContent: fromBase64(block.redactedReasoning) } };
  }
  // Json is the same as the SDK's documents, but for `readonly`.
  return { toolUse: block.toolUse as ToolUseBlock };
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

export const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));
