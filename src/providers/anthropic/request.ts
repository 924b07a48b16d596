import type Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import * as z from "zod";
import { definedFields, isRecord, type Json } from "../../domain/json.ts";
import type { ChatRequest, Message, Part, ToolSpec } from "../provider.ts";
import {
  type AssistantMessage,
  keptBlocks,
  readImageType,
  systemText,
  type ToolMessage,
  toObjectInput,
  toTurns,
} from "../wire.ts";

/** The newest version of the API has no temperature, and so have the SDK's types; an older version has it. */
export type AnthropicBody = Anthropic.MessageCreateParamsNonStreaming & { readonly temperature?: number };

const FIRST_WITH_SCHEMAS = 405;

/** A request as Anthropic's Messages API has it; it has no seed. */
export function toAnthropicBody(request: ChatRequest): AnthropicBody {
  const { tools = [], toolChoice, outputSchema, stop = [] } = request;
  const { maxTokens, thinking, effort, temperature } = planThinking(request);
  const schema = outputSchema === undefined ? null : schemaFor(request.model, outputSchema);
  const system = systemText(request, schema === null ? outputSchema : undefined);
  return {
    model: request.model,
    max_tokens: maxTokens,
    messages: toAnthropicMessages(request.messages),
    ...(system === "" ? {} : { system }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: toToolChoice(toolChoice) }),
    ...definedFields({ thinking, temperature }),
    ...toOutputConfig(schema, effort),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
  };
}

function schemaFor(model: string, schema: Json): { [key: string]: unknown } | null {
  const version = claudeVersion(model);
  return version === null || version < FIRST_WITH_SCHEMAS ? null : toClosedSchema(schema);
}

function toOutputConfig(
  schema: { [key: string]: unknown } | null,
  effort: Anthropic.OutputConfig["effort"],
): { output_config?: Anthropic.OutputConfig } {
  const format: Anthropic.OutputConfig["format"] =
    schema === null ? undefined : { type: "json_schema", schema };
  const config = definedFields({ format, effort });
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

const toTool = ({ name, description, inputSchema }: ToolSpec): Anthropic.Tool => ({
  name,
  ...(description === "" ? {} : { description }),
  input_schema: { ...(isRecord(inputSchema) ? inputSchema : {}), type: "object" },
});

function toToolChoice(choice: NonNullable<ChatRequest["toolChoice"]>): Anthropic.ToolChoice {
  if (typeof choice === "object") return { type: "tool", name: choice.name, disable_parallel_tool_use: true };
  return { type: choice === "required" ? "any" : choice };
}

type Block = Anthropic.ContentBlockParam;

/** The conversation as Anthropic has it: two roles in turn, and all results of one round in one message. */
const toAnthropicMessages = (messages: readonly Message[]): Anthropic.MessageParam[] =>
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
type KeptBlock = z.infer<typeof AnthropicOpaque>["blocks"][number];

function toAssistantBlocks(message: AssistantMessage): Block[] {
  const kept = AnthropicOpaque.safeParse(message.opaque);
  if (kept.success) {
    const callIdOf = ({ type, id = "" }: KeptBlock) => (type === "tool_use" ? id : undefined);
    // They are the blocks that the API gave, and it takes them back.
    return keptBlocks(kept.data.blocks, message.toolCalls, callIdOf) as unknown as Block[];
  }
  const calls = message.toolCalls.map(
    ({ id, name, input }): Block => ({ type: "tool_use", id, name, input: toObjectInput(input) }),
  );
  // The API refuses blank text.
  return message.content.trim() === "" ? calls : [{ type: "text", text: message.content }, ...calls];
}

const toToolResult = (message: ToolMessage): Block => ({
  type: "tool_result",
  tool_use_id: message.toolCallId,
  ...(message.content === "" ? {} : { content: message.content }),
  ...(message.isError ? { is_error: true } : {}),
});

export const anthropicOpaque = (blocks: readonly Json[]): Json => ({ kind: "anthropic", blocks });

type Effort = NonNullable<Anthropic.OutputConfig["effort"]>;

/** How a request asks a Claude to think, and what it may then not ask for. */
interface ThinkingPlan {
  readonly maxTokens: number;
  readonly thinking?: { type: "enabled"; budget_tokens: number } | { type: "adaptive" };
  readonly effort?: Effort;
  readonly temperature?: number;
}

const FIRST_WITH_THINKING = 307;
const FIRST_ADAPTIVE = 406;
/** From here on the models refuse a temperature. */
const FIRST_WITHOUT_TEMPERATURE = 407;

const ROOM_BEFORE_THINKING = 4_096;
const ROOM = 16_000;
const ADAPTIVE_ROOM = 32_000;
const BUDGETS = { minimal: 0, low: 2_000, medium: 8_000, high: 16_000 } as const;
const SMALLEST_BUDGET = 1_024;
const EFFORTS = { minimal: "low", low: "low", medium: "medium", high: "high" } as const;

export function planThinking(request: ChatRequest): ThinkingPlan {
  // Who speaks Anthropic's protocol without being a Claude mostly speaks that of its first thinking models.
  const version = claudeVersion(request.model) ?? FIRST_WITH_THINKING;
  if (version >= FIRST_ADAPTIVE) return planAdaptive(request, version);
  const budget = version < FIRST_WITH_THINKING ? 0 : planBudget(request);
  const room = version < FIRST_WITH_THINKING ? ROOM_BEFORE_THINKING : ROOM + budget;
  const maxTokens = request.maxTokens ?? room;
  if (budget === 0) return { maxTokens, ...temperatureOf(request) };
  return { maxTokens, thinking: { type: "enabled", budget_tokens: budget } };
}

function planAdaptive(request: ChatRequest, version: number): ThinkingPlan {
  const { reasoningEffort: effort, maxTokens = ADAPTIVE_ROOM } = request;
  const thinks = effort !== undefined && effort !== "minimal" && !forcesTool(request);
  const mayHaveTemperature = version < FIRST_WITHOUT_TEMPERATURE && !thinks;
  return {
    maxTokens,
    ...(thinks ? { thinking: { type: "adaptive" } } : {}),
    ...(effort === undefined ? {} : { effort: EFFORTS[effort] }),
    ...(mayHaveTemperature ? temperatureOf(request) : {}),
  };
}

/** The thinking is part of the tokens that the caller allows, so half of them stay for the answer. */
function planBudget(request: ChatRequest): number {
  if (request.reasoningEffort === undefined || forcesTool(request)) return 0;
  const wanted = BUDGETS[request.reasoningEffort];
  const budget = Math.min(wanted, Math.floor((request.maxTokens ?? Number.POSITIVE_INFINITY) / 2));
  return budget < SMALLEST_BUDGET ? 0 : budget;
}

/** A call that has to use a tool may not think. */
const forcesTool = ({ tools = [], toolChoice = "auto" }: ChatRequest): boolean =>
  tools.length > 0 && toolChoice !== "auto" && toolChoice !== "none";

const temperatureOf = ({ temperature }: ChatRequest): { temperature?: number } =>
  temperature === undefined ? {} : { temperature };

/**
 * Which Claude a model name means, as major × 100 + minor: 405 for `claude-haiku-4-5`. A Claude without a
 * number is the newest, and null is a model of somebody else.
 */
export function claudeVersion(model: string): number | null {
  const name = /claude-(.*)/.exec(model)?.[1];
  if (name === undefined) return null;
  // A release date follows in the same way as a minor version, but has eight digits.
  const numbers = /(?:^|-)(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  if (numbers === null) return Number.POSITIVE_INFINITY;
  return Number(numbers[1]) * 100 + Number(numbers[2] ?? 0);
}

/**
 * The schema as Claude's structured output takes it: closed objects, without the limits that it does not know.
 * Null where that would change what may be said.
 */
export function toClosedSchema(schema: Json): { [key: string]: unknown } | null {
  if (!isRecord(schema) || hasOpenObject(schema)) return null;
  try {
    return transformJSONSchema(structuredClone(schema));
  } catch {
    return null;
  }
}

/** An object whose keys are not known beforehand would be closed to nothing at all. */
function hasOpenObject(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(hasOpenObject);
  if (!isRecord(schema)) return false;
  const { type, properties, additionalProperties: others = true } = schema;
  const isOpen = isRecord(others) || (others === true && !isRecord(properties));
  return (type === "object" && isOpen) || Object.values(schema).some(hasOpenObject);
}
