import type { Content, Part as GeminiPart } from "@google/genai";
import * as z from "zod";
import type { ChatRequest, Part } from "./contract.ts";
import { geminiVersion } from "./gemini-thinking.ts";
import { toObjectInput } from "./object-input.ts";
import { type AssistantMessage, type ToolMessage, toTurns } from "./to-turns.ts";

/** From here on a call in the history needs its signature, or this word, which Google gives for calls made elsewhere. */
const FIRST_WITH_SIGNATURES = 300;
const NO_SIGNATURE = "skip_thought_signature_validator";

/** The conversation as Gemini has it: a user and a model in turn, and all results of one round in one content. */
export function toGeminiContents({ model, messages }: ChatRequest): Content[] {
  const wantsSignatures = (geminiVersion(model) ?? 0) >= FIRST_WITH_SIGNATURES;
  const calls = new CallNames();
  const turns = toTurns<GeminiPart>(messages, {
    part: toGeminiPart,
    assistant: (message) => {
      const parts = toModelParts(message, wantsSignatures);
      calls.add(message.toolCalls, parts);
      return parts;
    },
    toolResult: (message) => toFunctionResponse(message, calls),
  });
  return turns.map(({ role, content }) => ({ role: role === "user" ? "user" : "model", parts: content }));
}

const toGeminiPart = (part: Part): GeminiPart =>
  part.kind === "text"
    ? { text: part.text }
    : { inlineData: { mimeType: part.mediaType, data: part.base64 } };

/** What a reply carries along so that its parts go back with their signatures; `callIds` are the ids that we gave. */
const GeminiOpaque = z.object({
  kind: z.literal("gemini"),
  parts: z.array(z.looseObject({ functionCall: z.looseObject({}).optional() })),
  callIds: z.array(z.string()),
});

function toModelParts(message: AssistantMessage, wantsSignatures: boolean): GeminiPart[] {
  const kept = GeminiOpaque.safeParse(message.opaque);
  if (kept.success) return keptParts(kept.data, message.toolCalls);
  const calls = message.toolCalls.map(
    ({ id, name, input }, index): GeminiPart => ({
      functionCall: { id, name, args: toObjectInput(input) },
      ...(wantsSignatures && index === 0 ? { thoughtSignature: NO_SIGNATURE } : {}),
    }),
  );
  return message.content === "" ? calls : [{ text: message.content }, ...calls];
}

/** A call that the agent left out has no result, so it does not go back. */
function keptParts(
  { parts, callIds }: z.infer<typeof GeminiOpaque>,
  toolCalls: readonly { readonly id: string }[],
): GeminiPart[] {
  const ids = new Set(toolCalls.map(({ id }) => id));
  const left = callIds.values();
  return parts.filter(
    ({ functionCall }) => functionCall === undefined || ids.has(left.next().value ?? ""),
  ) as GeminiPart[];
}

/** Gemini wants the name of the tool with its result, and the id only if it gave one. */
class CallNames {
  readonly #names = new Map<string, string>();
  readonly #sentIds = new Set<string>();

  add(toolCalls: readonly { readonly id: string; readonly name: string }[], parts: readonly GeminiPart[]) {
    for (const { id, name } of toolCalls) this.#names.set(id, name);
    for (const { functionCall } of parts) {
      if (functionCall?.id !== undefined) this.#sentIds.add(functionCall.id);
    }
  }

  of(id: string): { id?: string; name: string } {
    return { ...(this.#sentIds.has(id) ? { id } : {}), name: this.#names.get(id) ?? id };
  }
}

const toFunctionResponse = (message: ToolMessage, calls: CallNames): GeminiPart => ({
  functionResponse: {
    ...calls.of(message.toolCallId),
    response: { [message.isError ? "error" : "output"]: message.content },
  },
});
