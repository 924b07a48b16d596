import type OpenAI from "openai";
import * as z from "zod";
import { definedFields, Json } from "../../domain/json.ts";
import { abilitiesOf, effortFor, samplingOf } from "../abilities.ts";
import { parseAnswer } from "../failed-call.ts";
import type { ChatReply, ChatRequest, Message, Part, ToolCall, ToolSpec } from "../provider.ts";
import { readOpenaiUsage } from "../usage.ts";
import { isStrictSchema, type ToolMessage, toToolInput } from "../wire.ts";

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Item = OpenAI.Responses.ResponseInputItem;

/** A request as the Responses API has it; it knows neither a seed nor stop words. */
export function toResponsesBody(request: ChatRequest): Body {
  const { tools = [], toolChoice, outputSchema, maxTokens } = request;
  return {
    model: request.model,
    input: request.messages.flatMap(toItems),
    // Nothing of an evaluation stays with the provider, so the conversation goes along each time.
    store: false,
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: toToolChoice(toolChoice) }),
    ...(outputSchema === undefined ? {} : { text: { format: toFormat(outputSchema) } }),
    ...definedFields({ max_output_tokens: maxTokens }),
    // Whatever it is, the API says which tiers there are.
    ...(definedFields({ service_tier: request.serviceTier }) as Pick<Body, "service_tier">),
    ...toReasoning(request),
  };
}

/** A reasoning model wants its reasoning back: encrypted, as nothing is stored. Any other refuses to be asked about it. */
function toReasoning(request: ChatRequest): Partial<Body> {
  const abilities = abilitiesOf("openai", request.model);
  const effort = effortFor(request, abilities);
  const { temperature, topP } = samplingOf(request, abilities);
  return {
    ...(abilities.efforts.length === 0 ? {} : { include: ["reasoning.encrypted_content"] }),
    ...(effort === null ? {} : { reasoning: { effort } }),
    ...definedFields({ temperature, top_p: topP }),
  };
}

function toItems(message: Message): Item[] {
  switch (message.role) {
    case "system":
      return [{ role: "developer", content: message.content }];
    case "user":
      return [
        {
          role: "user",
          content: typeof message.content === "string" ? message.content : message.content.map(toPart),
        },
      ];
    case "assistant":
      return outputItems(message.opaque) ?? toOutputItems(message);
    case "tool":
      // The API has no mark for a tool that failed, so the text says it.
      return [{ type: "function_call_output", call_id: message.toolCallId, output: toOutput(message) }];
  }
}

function toOutput({
  content,
  isError,
}: ToolMessage): OpenAI.Responses.ResponseInputItem.FunctionCallOutput["output"] {
  if (typeof content === "string") return isError ? `Error: ${content}` : content;
  const parts = content.map(toPart);
  return isError ? [{ type: "input_text", text: "Error:" }, ...parts] : parts;
}

function toOutputItems({ content, toolCalls }: Extract<Message, { role: "assistant" }>): Item[] {
  const calls = toolCalls.map(
    ({ id, name, input }): Item => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: typeof input === "string" ? input : JSON.stringify(input),
    }),
  );
  return content === "" ? calls : [{ role: "assistant", content }, ...calls];
}

const toPart = (part: Part): OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage =>
  part.kind === "text"
    ? { type: "input_text", text: part.text }
    : {
        type: "input_image",
        detail: "auto",
        image_url: `data:${part.mediaType};base64,${part.base64}`,
      };

/** Without a word about it the API takes every tool as strict, and refuses schemas with optional properties. */
const toTool = ({ name, description, inputSchema }: ToolSpec): OpenAI.Responses.FunctionTool => ({
  type: "function",
  name,
  description,
  strict: isStrictSchema(inputSchema),
  parameters: asObject(inputSchema),
});

const toToolChoice = (choice: NonNullable<ChatRequest["toolChoice"]>) =>
  typeof choice === "string" ? choice : ({ type: "function", name: choice.name } as const);

const toFormat = (schema: ToolSpec["inputSchema"]) =>
  ({
    type: "json_schema",
    name: "answer",
    schema: asObject(schema),
    strict: isStrictSchema(schema),
  }) as const;

const asObject = (schema: ToolSpec["inputSchema"]): Record<string, unknown> => ({ ...Object(schema) });

const MessageItem = z.object({
  type: z.literal("message"),
  /** Of newer models: what they say while they work, and their answer. */
  phase: z.string().nullish(),
  content: z.array(
    z.union([
      z.object({ type: z.literal("output_text"), text: z.string() }),
      z.object({ type: z.literal("refusal"), refusal: z.string() }),
      z.object({ type: z.string() }),
    ]),
  ),
});
const CallItem = z.object({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const OpenaiReplyItem = z.union([MessageItem, CallItem, z.object({ type: z.string() })]);

/** What is read of an answer of the Responses API. */
const ResponsesAnswer = z.object({
  id: z.string().nullish(),
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(z.intersection(Json, OpenaiReplyItem)),
  usage: z.unknown().optional(),
});
type ResponsesAnswer = z.infer<typeof ResponsesAnswer>;

/** Reads an answer of the Responses API. */
export const readResponsesAnswer = (answer: unknown): ChatReply =>
  toResponsesReply(parseAnswer(ResponsesAnswer, answer, ({ usage }) => readOpenaiUsage(usage).usage));

function toResponsesReply(answer: ResponsesAnswer): ChatReply {
  const said = answer.output.flatMap((item) => MessageItem.safeParse(item).data ?? []);
  const answers = said.filter(({ phase }) => phase !== "commentary");
  const parts = (answers.length > 0 ? answers : said).flatMap(({ content }) => content);
  const isRefused = parts.some(({ type }) => type === "refusal");
  const toolCalls = answer.output.flatMap(toToolCalls);
  const opaque = toOpaque(answer.output);
  return {
    content: parts.map(textOf).join(""),
    toolCalls,
    finishReason: isRefused ? "refusal" : toFinishReason(answer, toolCalls),
    ...readOpenaiUsage(answer.usage),
    id: answer.id ?? null,
    ...(opaque === null ? {} : { opaque }),
  };
}

function textOf(part: z.infer<typeof MessageItem>["content"][number]): string {
  if ("text" in part) return part.text;
  return "refusal" in part ? part.refusal : "";
}

function toToolCalls(item: Json): ToolCall[] {
  const { success, data } = CallItem.safeParse(item);
  return success ? [{ id: data.call_id, name: data.name, input: toToolInput(data.arguments) }] : [];
}

function toFinishReason(
  { status, incomplete_details }: ResponsesAnswer,
  toolCalls: readonly ToolCall[],
): ChatReply["finishReason"] {
  if (status === "incomplete") {
    return incomplete_details?.reason === "content_filter" ? "refusal" : "length";
  }
  if (toolCalls.length > 0) return "tool_calls";
  return status === "completed" ? "stop" : "other";
}

const OPAQUE = "openai-responses";
const Opaque = z.object({ kind: z.literal(OPAQUE), items: z.array(Json) });

/** Reasoning counts only together with the items that follow it, and a phase goes back too, so all output is kept. */
function toOpaque(output: ResponsesAnswer["output"]): Json | null {
  const isKept = output.some((item) => item.type === "reasoning" || MessageItem.safeParse(item).data?.phase);
  return isKept ? { kind: OPAQUE, items: output } : null;
}

/** The output of an earlier reply as it came; null if it has nothing to keep, or came from another provider. */
function outputItems(opaque: Json | undefined): OpenAI.Responses.ResponseInputItem[] | null {
  const { success, data } = Opaque.safeParse(opaque);
  return success ? (data.items as unknown as OpenAI.Responses.ResponseInputItem[]) : null;
}
