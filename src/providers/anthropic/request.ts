import type Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import * as z from "zod";
import { definedFields, isRecord, type Json } from "../../domain/json.ts";
import {
  type Abilities,
  abilitiesOf,
  asksToThink,
  effortFor,
  samplingOf,
  withoutForcing,
} from "../abilities.ts";
import type { ChatRequest, Message, Part, ToolSpec } from "../provider.ts";
import {
  type AssistantMessage,
  isStrictSchema,
  keptBlocks,
  markedTurns,
  readImageType,
  saidParts,
  systemText,
  type ToolMessage,
  toObjectInput,
  toTurns,
} from "../wire.ts";

/** The newest version of the API has no temperature, and so have the SDK's types; an older version has it. */
export type AnthropicBody = Anthropic.MessageCreateParamsNonStreaming & {
  readonly temperature?: number;
  readonly top_p?: number;
};

/** A request as Anthropic's Messages API has it; it has no seed. */
export function toAnthropicBody(wanted: ChatRequest): AnthropicBody {
  const abilities = abilitiesOf("anthropic", wanted.model);
  const request = withoutForcing(wanted, abilities);
  const { tools = [], toolChoice, outputSchema, stop = [], serviceTier } = request;
  const { maxTokens, thinking, effort, temperature, topP } = planThinking(request, abilities);
  const schema =
    outputSchema === undefined || abilities.schemas === "never" ? null : toClosedSchema(outputSchema);
  const system = systemText(request, schema === null ? outputSchema : undefined);
  return {
    model: request.model,
    max_tokens: maxTokens,
    ...toPrompt(request, system, abilities),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: toToolChoice(toolChoice) }),
    ...definedFields({ thinking, temperature, top_p: topP }),
    // Whatever it is, the API says which tiers there are.
    ...(definedFields({ service_tier: serviceTier }) as Pick<AnthropicBody, "service_tier">),
    ...toOutputConfig(schema, effort),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
  };
}

type Block = Anthropic.ContentBlockParam;

/** What a model reads: the tools, then the system prompt, then the messages. */
function toPrompt(request: ChatRequest, system: string, abilities: Abilities) {
  const { tools = [] } = request;
  const isCached = request.cache === true && abilities.cachePoints;
  const turns = toAnthropicMessages(request.messages);
  return {
    ...(tools.length === 0 ? {} : { tools: tools.map(toToolOf(abilities, tools)) }),
    ...(system === "" ? {} : { system: isCached ? withMark([{ type: "text", text: system }]) : system }),
    messages: isCached ? markedTurns(turns, withMark) : turns,
  };
}

/** Marks the last block: all that comes before it is cached, too. */
const withMark = <Marked extends Block>(blocks: readonly Marked[]): Marked[] =>
  blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
  );

function toOutputConfig(
  schema: { [key: string]: unknown } | null,
  effort: Anthropic.OutputConfig["effort"],
): { output_config?: Anthropic.OutputConfig } {
  const format: Anthropic.OutputConfig["format"] =
    schema === null ? undefined : { type: "json_schema", schema };
  const config = definedFields({ format, effort });
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

const toToolOf =
  (abilities: Abilities, tools: readonly ToolSpec[]) =>
  ({ name, description, inputSchema }: ToolSpec): Anthropic.Tool => {
    const schema = strictSchema(abilities, tools, inputSchema);
    return {
      name,
      ...(description === "" ? {} : { description }),
      input_schema: { ...(schema ?? (isRecord(inputSchema) ? inputSchema : {})), type: "object" },
      ...(schema === null ? {} : { strict: true }),
    };
  };

/** More strict tools than this are refused. */
const MOST_STRICT_TOOLS = 20;

/**
 * The schema that binds the input of a tool, for models that cannot be made to call it; null where it cannot. It is
 * bound in every call: a change of the tools would cost the model its thinking.
 */
export function strictSchema(
  { forcedTools }: Abilities,
  tools: readonly ToolSpec[],
  schema: Json,
): { [key: string]: unknown } | null {
  const isStrict = forcedTools === "none" && tools.length <= MOST_STRICT_TOOLS && isStrictSchema(schema);
  return isStrict ? toClosedSchema(schema) : null;
}

function toToolChoice(choice: NonNullable<ChatRequest["toolChoice"]>): Anthropic.ToolChoice {
  if (typeof choice === "object") return { type: "tool", name: choice.name, disable_parallel_tool_use: true };
  return { type: choice === "required" ? "any" : choice };
}

/** The conversation as Anthropic has it: two roles in turn, and all results of one round in one message. */
const toAnthropicMessages = (messages: readonly Message[]) =>
  toTurns<Block>(messages, { part: toPart, assistant: toAssistantBlocks, toolResult: toToolResult });

function toPart(part: Part): Anthropic.TextBlockParam | Anthropic.ImageBlockParam {
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

const toToolResult = ({ toolCallId, content, isError }: ToolMessage): Block => ({
  type: "tool_result",
  tool_use_id: toolCallId,
  ...(content === ""
    ? {}
    : { content: typeof content === "string" ? content : saidParts(content).map(toPart) }),
  ...(isError ? { is_error: true } : {}),
});

export const anthropicOpaque = (blocks: readonly Json[]): Json => ({ kind: "anthropic", blocks });

type ClaudeEffort = NonNullable<Anthropic.OutputConfig["effort"]>;
type Thinking =
  | { type: "enabled"; budget_tokens: number }
  | { type: "adaptive" | "disabled" | "between_tools" }
  | { type: "adaptive"; block_binding: { prefix_mismatch_behavior: "drop_block" } };

/** How a request asks a Claude to think, and what it may then not ask for. */
interface ThinkingPlan {
  readonly maxTokens: number;
  readonly thinking?: Thinking;
  readonly effort?: ClaudeEffort;
  readonly temperature?: number;
  readonly topP?: number;
}

const ROOM_BEFORE_THINKING = 4_096;
const ROOM = 16_000;
const ADAPTIVE_ROOM = 32_000;
const BUDGETS = { low: 2_000, medium: 8_000, high: 16_000 };
const SMALLEST_BUDGET = 1_024;

/** The version of the API that knows `block_binding`. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";
/** An agent may shorten what was said earlier: thinking that no longer fits is then left out, not refused. */
const BOUND: Thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };

export function planThinking(request: ChatRequest, abilities: Abilities): ThinkingPlan {
  const sampling = samplingOf(request, abilities);
  if (abilities.thinking === "adaptive") return { ...planAdaptive(request, abilities), ...sampling };
  const budget = asksToThink(request, abilities) ? planBudget(request, abilities) : 0;
  const room = abilities.efforts.length === 0 ? ROOM_BEFORE_THINKING : ROOM + budget;
  const maxTokens = request.maxTokens ?? room;
  if (budget === 0) return { maxTokens, ...sampling };
  return { maxTokens, thinking: { type: "enabled", budget_tokens: budget } };
}

function planAdaptive(request: ChatRequest, abilities: Abilities): ThinkingPlan {
  const { maxTokens = ADAPTIVE_ROOM } = request;
  const effort = effortFor(request, abilities);
  if (effort === "none") {
    return { maxTokens, ...(abilities.off === null ? {} : { thinking: { type: abilities.off } }) };
  }
  const thinking: Thinking = abilities.bindsThinking ? BOUND : { type: "adaptive" };
  const isSaid = abilities.bindsThinking || asksToThink(request, abilities);
  return {
    maxTokens,
    ...(isSaid ? { thinking } : {}),
    // No Claude has a minimal effort.
    ...(effort === null || effort === "minimal" ? {} : { effort }),
  };
}

/** The thinking is part of the tokens that the caller allows, so half of them stay for the answer. */
function planBudget(request: ChatRequest, abilities: Abilities): number {
  const effort = effortFor(request, abilities);
  const wanted = effort === "low" || effort === "medium" ? BUDGETS[effort] : BUDGETS.high;
  const budget = Math.min(wanted, Math.floor((request.maxTokens ?? Number.POSITIVE_INFINITY) / 2));
  return budget < SMALLEST_BUDGET ? 0 : budget;
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
