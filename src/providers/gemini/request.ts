import {
  type Content,
  type FunctionCallingConfig,
  FunctionCallingConfigMode,
  type Part as GeminiPart,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type ThinkingConfig,
  ThinkingLevel,
} from "@google/genai";
import * as z from "zod";
import { definedFields } from "../../domain/json.ts";
import { isImage, textOfContent } from "../../domain/run/parts.ts";
import { type Abilities, abilitiesOf, effortFor, geminiVersion } from "../abilities.ts";
import type { ChatRequest, Part } from "../provider.ts";
import {
  type AssistantMessage,
  keptBlocks,
  placeResultImages,
  systemText,
  type ToolMessage,
  toObjectInput,
  toTurns,
} from "../wire.ts";

/** A request as Gemini's `generateContent` has it. */
export function toGeminiParameters(request: ChatRequest): GenerateContentParameters {
  return { model: request.model, contents: toGeminiContents(request), config: toConfig(request) };
}

function toConfig(request: ChatRequest): GenerateContentConfig {
  const { outputSchema, maxTokens, temperature, topP, seed, stop = [], serviceTier } = request;
  const abilities = abilitiesOf("gemini", request.model);
  // Older models refuse a schema for the answer beside tools.
  const takesSchema = abilities.schemas === "always" || (request.tools ?? []).length === 0;
  const inWords = outputSchema !== undefined && !takesSchema;
  const system = systemText(request, inWords ? outputSchema : undefined);
  const thinkingConfig = toThinkingConfig(request, abilities);
  return {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...toToolConfig(request),
    ...(outputSchema === undefined || inWords
      ? {}
      : { responseMimeType: "application/json", responseJsonSchema: outputSchema }),
    ...(thinkingConfig === null ? {} : { thinkingConfig }),
    ...definedFields({ maxOutputTokens: maxTokens, temperature, topP, seed }),
    // Whatever it is, the API says which tiers there are.
    ...(definedFields({ serviceTier }) as Pick<GenerateContentConfig, "serviceTier">),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
  };
}

function toToolConfig({ tools = [], toolChoice }: ChatRequest): GenerateContentConfig {
  if (tools.length === 0) return {};
  const functionDeclarations = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema,
  }));
  return {
    tools: [{ functionDeclarations }],
    ...(toolChoice === undefined ? {} : { toolConfig: { functionCallingConfig: toCalling(toolChoice) } }),
  };
}

const MODES = {
  auto: FunctionCallingConfigMode.AUTO,
  required: FunctionCallingConfigMode.ANY,
  none: FunctionCallingConfigMode.NONE,
} as const;

const toCalling = (choice: NonNullable<ChatRequest["toolChoice"]>): FunctionCallingConfig =>
  typeof choice === "string"
    ? { mode: MODES[choice] }
    : { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: [choice.name] };

/** From here on a call in the history needs its signature, or this word, which Google gives for calls made elsewhere. */
const FIRST_WITH_SIGNATURES = 300;
const NO_SIGNATURE = "skip_thought_signature_validator";

/** The conversation as Gemini has it: a user and a model in turn, and all results of one round in one content. */
function toGeminiContents({ model, messages }: ChatRequest): Content[] {
  const wantsSignatures = (geminiVersion(model) ?? 0) >= FIRST_WITH_SIGNATURES;
  const calls = new CallNames();
  const { resultImages } = abilitiesOf("gemini", model);
  const turns = toTurns<GeminiPart>(placeResultImages(messages, resultImages), {
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
  part.kind === "text" ? { text: part.text } : toInlineData(part);

const toInlineData = ({ mediaType, base64 }: Extract<Part, { kind: "image" }>) => ({
  inlineData: { mimeType: mediaType, data: base64 },
});

/** What a reply carries along so that its parts go back with their signatures; `callIds` are the ids that we gave. */
const GeminiOpaque = z.object({
  kind: z.literal("gemini"),
  parts: z.array(z.looseObject({ functionCall: z.looseObject({}).optional() })),
  callIds: z.array(z.string()),
});

function toModelParts(message: AssistantMessage, wantsSignatures: boolean): GeminiPart[] {
  const kept = GeminiOpaque.safeParse(message.opaque);
  if (kept.success) {
    const ids = kept.data.callIds.values();
    const callIdOf = ({ functionCall }: { functionCall?: object | undefined }) =>
      functionCall === undefined ? undefined : (ids.next().value ?? "");
    return keptBlocks(kept.data.parts, message.toolCalls, callIdOf) as GeminiPart[];
  }
  const calls = message.toolCalls.map(
    ({ id, name, input }, index): GeminiPart => ({
      functionCall: { id, name, args: toObjectInput(input) },
      ...(wantsSignatures && index === 0 ? { thoughtSignature: NO_SIGNATURE } : {}),
    }),
  );
  return message.content === "" ? calls : [{ text: message.content }, ...calls];
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

function toFunctionResponse({ toolCallId, content, isError }: ToolMessage, calls: CallNames): GeminiPart {
  const images = typeof content === "string" ? [] : content.filter(isImage);
  return {
    functionResponse: {
      ...calls.of(toolCallId),
      response: { [isError ? "error" : "output"]: textOfContent(content) },
      ...(images.length === 0 ? {} : { parts: images.map(toInlineData) }),
    },
  };
}

const BUDGETS = { none: 0, minimal: 0, low: 2_048, medium: 8_192, high: 24_576 };
/** Where thinking cannot be switched off. */
const SMALLEST_PRO_BUDGET = 128;
const LEVELS = {
  minimal: ThinkingLevel.MINIMAL,
  low: ThinkingLevel.LOW,
  medium: ThinkingLevel.MEDIUM,
  high: ThinkingLevel.HIGH,
};

/** Models that cannot think refuse to be asked for it. */
function toThinkingConfig(request: ChatRequest, abilities: Abilities): ThinkingConfig | null {
  const effort = effortFor(request, abilities);
  // No Gemini has an effort beyond high.
  if (effort === null || effort === "xhigh" || effort === "max") return null;
  if (abilities.thinking === "budget") {
    const smallest = abilities.efforts.includes("none") ? 0 : SMALLEST_PRO_BUDGET;
    return { thinkingBudget: Math.max(smallest, BUDGETS[effort]) };
  }
  return effort === "none" ? null : { thinkingLevel: LEVELS[effort] };
}
