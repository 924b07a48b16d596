import {
  type FunctionCallingConfig,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentParameters,
} from "@google/genai";
import type { ChatRequest } from "./contract.ts";
import { toGeminiContents } from "./gemini-contents.ts";
import { geminiVersion, toThinkingConfig } from "./gemini-thinking.ts";
import { systemText } from "./system-text.ts";

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
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(thinkingConfig === null ? {} : { thinkingConfig }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
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
