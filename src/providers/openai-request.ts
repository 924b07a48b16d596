import type OpenAI from "openai";
import type { ChatRequest, Message, Part, ToolSpec } from "./contract.ts";
import { outputItems } from "./openai-reply.ts";
import { isStrictSchema } from "./strict-schema.ts";

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
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(isReasoningModel(request.model) ? forReasoning(request) : forOthers(request)),
  };
}

/** By name, because the API does not say which models reason. */
const isReasoningModel = (model: string): boolean =>
  /^(?:ft:)?(?:o\d|gpt-[5-9]|gpt-\d\d|codex)/.test(model) && !/-chat(?:-|$)/.test(model);

/** A reasoning model refuses a temperature, and wants its reasoning back: encrypted, as nothing is stored. */
function forReasoning({ reasoningEffort }: ChatRequest): Partial<Body> {
  const effort = reasoningEffort === undefined ? {} : { reasoning: { effort: reasoningEffort } };
  return { include: ["reasoning.encrypted_content"], ...effort };
}

/** Any other model refuses to be asked about reasoning. */
const forOthers = ({ temperature }: ChatRequest): Partial<Body> =>
  temperature === undefined ? {} : { temperature };

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
      return [
        {
          type: "function_call_output",
          call_id: message.toolCallId,
          output: message.isError ? `Error: ${message.content}` : message.content,
        },
      ];
  }
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

const toPart = (part: Part): OpenAI.Responses.ResponseInputContent =>
  part.kind === "text"
    ? { type: "input_text", text: part.text }
    : {
        type: "input_image",
        detail: "auto",
        image_url: `data:${part.mediaType};base64,${part.base64}`,
      };

/** Without a word about it the API takes every tool as strict, and refuses schemas with optional properties. */
const toTool = ({ name, description, inputSchema }: ToolSpec): OpenAI.Responses.FunctionTool => ({
  ...{ type: "function", name, description, strict: isStrictSchema(inputSchema) },
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
