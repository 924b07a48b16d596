import type Anthropic from "@anthropic-ai/sdk";
import type { Json } from "../domain/json.ts";
import { toAnthropicMessages } from "./anthropic-messages.ts";
import { planThinking } from "./anthropic-thinking.ts";
import { claudeVersion } from "./claude-version.ts";
import { toClosedSchema } from "./closed-schema.ts";
import type { ChatRequest, ToolSpec } from "./contract.ts";
import { isJsonObject } from "./object-input.ts";
import { systemText } from "./system-text.ts";

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
    ...(thinking === undefined ? {} : { thinking }),
    ...toOutputConfig(schema, effort),
    ...(temperature === undefined ? {} : { temperature }),
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
  const config: Anthropic.OutputConfig = {
    ...(schema === null ? {} : { format: { type: "json_schema", schema } }),
    ...(effort == null ? {} : { effort }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

const toTool = ({ name, description, inputSchema }: ToolSpec): Anthropic.Tool => ({
  name,
  ...(description === "" ? {} : { description }),
  input_schema: { ...(isJsonObject(inputSchema) ? inputSchema : {}), type: "object" },
});

function toToolChoice(choice: NonNullable<ChatRequest["toolChoice"]>): Anthropic.ToolChoice {
  if (typeof choice === "object") return { type: "tool", name: choice.name, disable_parallel_tool_use: true };
  return { type: choice === "required" ? "any" : choice };
}
