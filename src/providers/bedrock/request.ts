import type {
  ContentBlock,
  ConverseCommandInput,
  ImageFormat,
  OutputConfig,
  ServiceTier,
  Tool,
  ToolChoice,
} from "@aws-sdk/client-bedrock-runtime";
import * as z from "zod";
import { definedFields, isRecord, Json } from "../../domain/json.ts";
import { type Abilities, abilitiesOf, effortFor, withoutForcing } from "../abilities.ts";
import { BINDING_BETA, planThinking, strictSchema, toClosedSchema } from "../anthropic/request.ts";
import type { ChatRequest, Message, Part, ToolSpec } from "../provider.ts";
import {
  type AssistantMessage,
  keptBlocks,
  markedTurns,
  placeResultImages,
  readImageType,
  saidParts,
  systemText,
  type ToolMessage,
  toObjectInput,
  toTurns,
} from "../wire.ts";

/** A request as Bedrock's Converse has it; it has no seed. */
export function toConverseInput(wanted: ChatRequest): ConverseCommandInput {
  const abilities = abilitiesOf("bedrock", wanted.model);
  const isClaude = wanted.model.includes("claude-");
  // Other models refuse text beside a tool's result.
  const request = withoutForcing(wanted, abilities, isClaude ? "user" : "system");
  const { outputSchema } = request;
  const plan = isClaude ? planClaude(request, abilities) : planInference(request, abilities);
  const schema =
    outputSchema === undefined || abilities.schemas === "never" ? null : toClosedSchema(outputSchema);
  const system = systemText(request, schema === null ? outputSchema : undefined);
  return {
    modelId: request.model,
    ...toPrompt(request, system, abilities),
    ...toInferenceConfig(request, plan),
    ...toToolConfig(request, abilities),
    ...toOutputConfig(schema, plan.effort),
    ...(plan.fields === undefined ? {} : { additionalModelRequestFields: plan.fields }),
    // Whatever it is, the API says which tiers there are.
    ...(request.serviceTier === undefined
      ? {}
      : { serviceTier: { type: request.serviceTier as ServiceTier["type"] } }),
  };
}

const CACHE_POINT = { cachePoint: { type: "default" } } as const;

/** A cache point stands after what is cached, and tools come before the system prompt. */
function toPrompt(request: ChatRequest, system: string, abilities: Abilities) {
  const isCached = request.cache === true && abilities.cachePoints;
  const turns = toBedrockMessages(placeResultImages(request.messages, abilities.resultImages));
  return {
    ...(system === "" ? {} : { system: [{ text: system }, ...(isCached ? [CACHE_POINT] : [])] }),
    messages: isCached ? markedTurns(turns, (content) => [...content, CACHE_POINT]) : turns,
  };
}

function toInferenceConfig(
  { stop = [] }: ChatRequest,
  { maxTokens, temperature, topP }: InferencePlan,
): Pick<ConverseCommandInput, "inferenceConfig"> {
  const stopSequences = stop.length === 0 ? undefined : stop;
  const inferenceConfig = definedFields({ maxTokens, temperature, topP, stopSequences });
  return Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig };
}

function toOutputConfig(
  schema: { [key: string]: unknown } | null,
  effort: string | undefined,
): Pick<ConverseCommandInput, "outputConfig"> {
  const jsonSchema = { name: "answer", schema: JSON.stringify(schema) };
  const outputConfig: OutputConfig = {
    ...(schema === null ? {} : { textFormat: { type: "json_schema", structure: { jsonSchema } } }),
    ...(effort === undefined ? {} : { effort }),
  };
  return Object.keys(outputConfig).length === 0 ? {} : { outputConfig };
}

/** Converse has no choice `none`, and refuses calls in the history without the tools that were called. */
function toToolConfig(request: ChatRequest, abilities: Abilities): Pick<ConverseCommandInput, "toolConfig"> {
  const { tools = [], toolChoice = "auto" } = request;
  const called = calledTools(request);
  const mayCall = tools.length > 0 && toolChoice !== "none";
  if (!mayCall && called.length === 0) return {};
  const offered = tools.length > 0 ? tools : called;
  const isBound = request.model.includes("claude-");
  const toolConfig = {
    tools: offered.map((tool) =>
      toTool(tool, isBound ? strictSchema(abilities, offered, tool.inputSchema) : null),
    ),
  };
  if (!mayCall || request.toolChoice === undefined) return { toolConfig };
  return { toolConfig: { ...toolConfig, toolChoice: toToolChoice(request.toolChoice) } };
}

function calledTools({ messages }: ChatRequest): ToolSpec[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls : []));
  const names = new Set(calls.map(({ name }) => name));
  return [...names].map((name) => ({ name, description: "", inputSchema: {} }));
}

const toTool = (
  { name, description, inputSchema }: ToolSpec,
  strict: { [key: string]: unknown } | null,
): Tool => ({
  toolSpec: {
    name,
    ...(description === "" ? {} : { description }),
    // Json is the same as the SDK's documents, but for `readonly`.
    inputSchema: {
      json: { ...(strict ?? (isRecord(inputSchema) ? inputSchema : {})), type: "object" } as { type: string },
    },
    ...(strict === null ? {} : { strict: true }),
  },
});

function toToolChoice(choice: NonNullable<ChatRequest["toolChoice"]>): ToolChoice {
  if (typeof choice === "object") return { tool: { name: choice.name } };
  return choice === "required" ? { any: {} } : { auto: {} };
}

/** How much a model may write, how freely, and how hard it thinks first. */
interface InferencePlan {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly effort?: string;
  readonly fields?: NonNullable<ConverseCommandInput["additionalModelRequestFields"]>;
}

/** Converse has one word for effort, which Claude knows; the other models that think have fields of their own. */
function planInference(request: ChatRequest, abilities: Abilities): InferencePlan {
  const { maxTokens, temperature, topP } = request;
  const asked = definedFields({ maxTokens, temperature, topP });
  const effort = effortFor(request, abilities);
  if (effort === null || effort === "none" || effort === "minimal") return asked;
  if (request.model.includes("openai.gpt-oss")) return { ...asked, fields: { reasoning_effort: effort } };
  const fields = { reasoningConfig: { type: "enabled", maxReasoningEffort: effort } };
  // At its highest effort Nova refuses any other limit.
  return effort === "high" ? { fields } : { ...asked, fields };
}

/** Without a limit Bedrock takes the model's own, and counts all of it against the account's quota. */
function planClaude(request: ChatRequest, abilities: Abilities): InferencePlan {
  const { thinking, ...plan } = planThinking(request, abilities);
  if (thinking === undefined) return plan;
  const beta = "block_binding" in thinking ? { anthropic_beta: [BINDING_BETA] } : {};
  return { ...plan, fields: { thinking, ...beta } };
}

/** The conversation as Converse has it: two roles strictly in turn, and no blank text. */
const toBedrockMessages = (messages: readonly Message[]) =>
  toTurns<ContentBlock>(messages, { part: toPart, assistant: toAssistantBlocks, toolResult: toToolResult });

function toPart(part: Part): ContentBlock.TextMember | ContentBlock.ImageMember {
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
  const callIdOf = (block: KeptBlock) => ("toolUse" in block ? block.toolUse.toolUseId : undefined);
  const blocks = kept.success
    ? keptBlocks(kept.data.blocks, message.toolCalls, callIdOf)
    : plainBlocks(message);
  return blocks.filter((block) => !("text" in block) || block.text.trim() !== "").map(toContentBlock);
}

const plainBlocks = ({ content, toolCalls }: AssistantMessage): readonly KeptBlock[] => [
  { text: content },
  ...toolCalls.map(({ id, name, input }) => ({
    toolUse: { toolUseId: id, name, input: toObjectInput(input) },
  })),
];

function toToolResult({ toolCallId, content, isError }: ToolMessage): ContentBlock {
  const given: readonly Part[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
  const parts = saidParts(given).map(toPart);
  return {
    toolResult: {
      toolUseId: toolCallId,
      content: parts.length === 0 ? [{ text: "(empty)" }] : parts,
      ...(isError ? { status: "error" } : {}),
    },
  };
}

const KeptText = z.object({ text: z.string(), signature: z.string().optional() });

/** A block of a reply as the API has it, with bytes as base64, so that JSON can hold it. */
export const KeptBlock = z.union([
  z.object({ text: z.string() }),
  z.object({ toolUse: z.object({ toolUseId: z.string(), name: z.string(), input: Json.default({}) }) }),
  z.object({ reasoningContent: z.object({ reasoningText: KeptText }) }),
  z.object({ reasoningContent: z.object({ redactedContent: z.string() }) }),
]);
export type KeptBlock = z.infer<typeof KeptBlock>;

/** What a reply carries along so that its reasoning goes back as it came, in its place. */
const BedrockOpaque = z.object({ kind: z.literal("bedrock"), blocks: z.array(KeptBlock) });

/** Keeps the blocks that a ChatReply can express. */
export function toKeptBlocks(block: ContentBlock): KeptBlock[] {
  const { redactedContent } = block.reasoningContent ?? {};
  const written =
    redactedContent === undefined
      ? block
      : { reasoningContent: { redactedContent: Buffer.from(redactedContent).toString("base64") } };
  const kept = KeptBlock.safeParse(written);
  if (!kept.success && block.toolUse !== undefined) throw kept.error;
  return kept.success ? [kept.data] : [];
}

function toContentBlock(block: KeptBlock): ContentBlock {
  if ("reasoningContent" in block && "redactedContent" in block.reasoningContent) {
    return { reasoningContent: { redactedContent: fromBase64(block.reasoningContent.redactedContent) } };
  }
  // Json is the same as the SDK's documents, but for `readonly`.
  return block as ContentBlock;
}

const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));
