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
import type { ChatRequest, Part } from "../provider.ts";
import {
  type AssistantMessage,
  keptBlocks,
  systemText,
  type ToolMessage,
  toObjectInput,
  toTurns,
} from "../wire.ts";

const FIRST_WITH_TOOLS_AND_SCHEMA = 300;

/** A request as Gemini's `generateContent` has it. */
export function toGeminiParameters(request: ChatRequest): GenerateContentParameters {
  return { model: request.model, contents: toGeminiContents(request), config: toConfig(request) };
}

function toConfig(request: ChatRequest): GenerateContentConfig {
  const { outputSchema, maxTokens, temperature, seed, stop = [] } = request;
  const inWords = outputSchema !== undefined && !takesSchema(request);
  const system = systemText(request, inWords ? outputSchema : undefined);
  const thinkingConfig = toThinkingConfig(request);
  return {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...toToolConfig(request),
    ...(outputSchema === undefined || inWords
      ? {}
      : { responseMimeType: "application/json", responseJsonSchema: outputSchema }),
    ...(thinkingConfig === null ? {} : { thinkingConfig }),
    ...definedFields({ maxOutputTokens: maxTokens, temperature, seed }),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
  };
}

/** Models before Gemini 3 refuse a schema for the answer beside tools. */
const takesSchema = ({ model, tools = [] }: ChatRequest): boolean =>
  tools.length === 0 || (geminiVersion(model) ?? 0) >= FIRST_WITH_TOOLS_AND_SCHEMA;

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

const toFunctionResponse = (message: ToolMessage, calls: CallNames): GeminiPart => ({
  functionResponse: {
    ...calls.of(message.toolCallId),
    response: { [message.isError ? "error" : "output"]: message.content },
  },
});

const FIRST_WITH_BUDGETS = 205;
const FIRST_WITH_LEVELS = 300;
const BUDGETS = { minimal: 0, low: 2_048, medium: 8_192, high: 24_576 } as const;
/** Where thinking cannot be switched off. */
const SMALLEST_PRO_BUDGET = 128;
const LEVELS = {
  minimal: ThinkingLevel.MINIMAL,
  low: ThinkingLevel.LOW,
  medium: ThinkingLevel.MEDIUM,
  high: ThinkingLevel.HIGH,
} as const;

/** Which Gemini a model name means, as major × 100 + minor; one without a number is the newest, null none at all. */
function geminiVersion(model: string): number | null {
  const name = /gemini-(.*)/.exec(model)?.[1];
  if (name === undefined) return null;
  const numbers = /^(\d+)(?:\.(\d+))?/.exec(name);
  return numbers === null ? Number.POSITIVE_INFINITY : Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}

/** Models that cannot think refuse to be asked for it. */
function toThinkingConfig({ model, reasoningEffort }: ChatRequest): ThinkingConfig | null {
  const version = geminiVersion(model);
  if (reasoningEffort === undefined || version === null || version < FIRST_WITH_BUDGETS) return null;
  const isPro = /\bpro\b/.test(model);
  if (version < FIRST_WITH_LEVELS) {
    const budget = BUDGETS[reasoningEffort];
    return { thinkingBudget: isPro ? Math.max(SMALLEST_PRO_BUDGET, budget) : budget };
  }
  return { thinkingLevel: LEVELS[isPro && reasoningEffort === "minimal" ? "low" : reasoningEffort] };
}
