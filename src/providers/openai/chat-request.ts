import { definedFields, type Json } from "../../domain/json.ts";
import { textOfContent } from "../../domain/run/parts.ts";
import { abilitiesOf, withoutForcing } from "../abilities.ts";
import type { ChatRequest, Message, Part, ToolCall } from "../provider.ts";
import { isStrictSchema, placeResultImages } from "../wire.ts";
import { chatOpaque } from "./chat-reply.ts";

/** A request as the Chat Completions protocol has it, which many servers speak. */
export function toChatBody(wanted: ChatRequest): { readonly [key: string]: Json } {
  const abilities = abilitiesOf("chat", wanted.model);
  const request = withoutForcing(wanted, abilities);
  const { tools = [], toolChoice, outputSchema, maxTokens, temperature, seed, stop } = request;
  const { topP, serviceTier } = request;
  const sampling = {
    max_tokens: maxTokens,
    reasoning_effort: request.reasoningEffort,
    temperature,
    top_p: topP,
    seed,
    stop,
    service_tier: serviceTier,
  };
  return {
    model: request.model,
    messages: placeResultImages(request.messages, abilities.resultImages).map(toChatMessage),
    ...(tools.length === 0 ? {} : { tools: tools.map(toChatTool) }),
    ...(tools.length === 0 || toolChoice === undefined ? {} : { tool_choice: toChatToolChoice(toolChoice) }),
    ...(outputSchema === undefined ? {} : { response_format: toResponseFormat(outputSchema) }),
    ...definedFields(sampling),
  };
}

function toChatMessage(message: Message): Json {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return {
        role: "user",
        content: typeof message.content === "string" ? message.content : message.content.map(toChatPart),
      };
    case "assistant":
      return message.toolCalls.length === 0
        ? { role: "assistant", content: message.content }
        : {
            role: "assistant",
            content: message.content === "" ? null : message.content,
            tool_calls: message.toolCalls.map(toChatToolCall),
            ...chatOpaque(message.opaque),
          };
    case "tool":
      // The protocol has no mark for a tool that failed, so the text says it.
      return {
        role: "tool",
        tool_call_id: message.toolCallId,
        content: `${message.isError ? "Error: " : ""}${textOfContent(message.content)}`,
      };
  }
}

const toChatPart = (part: Part): Json =>
  part.kind === "text"
    ? { type: "text", text: part.text }
    : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.base64}` } };

const toChatToolCall = ({ id, name, input }: ToolCall): Json => ({
  id,
  type: "function",
  function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
});

const toChatTool = ({ name, description, inputSchema }: NonNullable<ChatRequest["tools"]>[number]): Json => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
});

const toChatToolChoice = (choice: NonNullable<ChatRequest["toolChoice"]>): Json =>
  typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };

const toResponseFormat = (schema: Json): Json => ({
  type: "json_schema",
  json_schema: { name: "answer", schema, strict: isStrictSchema(schema) },
});
