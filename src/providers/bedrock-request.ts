import type { ConverseCommandInput, OutputConfig, Tool, ToolChoice } from "@aws-sdk/client-bedrock-runtime";
import type { Json } from "../domain/json.ts";
import { toBedrockMessages } from "./bedrock-messages.ts";
import { type InferencePlan, planInference } from "./bedrock-reasoning.ts";
import { claudeVersion } from "./claude-version.ts";
import { toClosedSchema } from "./closed-schema.ts";
import type { ChatRequest, ToolSpec } from "./contract.ts";
import { isJsonObject } from "./object-input.ts";
import { systemText } from "./system-text.ts";

const FIRST_CLAUDE_WITH_SCHEMAS = 405;
const OTHERS_WITH_SCHEMAS = /\b(?:openai|qwen|moonshot|moonshotai|minimax|nvidia|zai)\./;

/** A request as Bedrock's Converse has it; it has no seed. */
export function toConverseInput(request: ChatRequest): ConverseCommandInput {
  const { outputSchema } = request;
  const plan = planInference(request);
  const schema = outputSchema === undefined ? null : schemaFor(request.model, outputSchema);
  const system = systemText(request, schema === null ? outputSchema : undefined);
  return {
    modelId: request.model,
    messages: toBedrockMessages(request.messages),
    ...(system === "" ? {} : { system: [{ text: system }] }),
    ...toInferenceConfig(request, plan),
    ...toToolConfig(request),
    ...toOutputConfig(schema, plan.effort),
    ...(plan.fields === undefined ? {} : { additionalModelRequestFields: plan.fields }),
  };
}

function schemaFor(model: string, schema: Json): { [key: string]: unknown } | null {
  const version = claudeVersion(model);
  const takesSchemas =
    version === null ? OTHERS_WITH_SCHEMAS.test(model) : version >= FIRST_CLAUDE_WITH_SCHEMAS;
  return takesSchemas ? toClosedSchema(schema) : null;
}

function toInferenceConfig(
  { stop = [] }: ChatRequest,
  { maxTokens, temperature }: InferencePlan,
): Pick<ConverseCommandInput, "inferenceConfig"> {
  const inferenceConfig = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
  };
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
function toToolConfig(request: ChatRequest): Pick<ConverseCommandInput, "toolConfig"> {
  const { tools = [], toolChoice = "auto" } = request;
  const called = calledTools(request);
  const mayCall = tools.length > 0 && toolChoice !== "none";
  if (!mayCall && called.length === 0) return {};
  const toolConfig = { tools: (tools.length > 0 ? tools : called).map(toTool) };
  if (!mayCall || request.toolChoice === undefined) return { toolConfig };
  return { toolConfig: { ...toolConfig, toolChoice: toToolChoice(request.toolChoice) } };
}

function calledTools({ messages }: ChatRequest): ToolSpec[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls : []));
  const names = new Set(calls.map(({ name }) => name));
  return [...names].map((name) => ({ name, description: "", inputSchema: {} }));
}

const toTool = ({ name, description, inputSchema }: ToolSpec): Tool => ({
  toolSpec: {
    name,
    ...(description === "" ? {} : { description }),
    // Json is the same as the SDK's documents, but for `readonly`.
    inputSchema: {
      json: { ...(isJsonObject(inputSchema) ? inputSchema : {}), type: "object" } as { type: string },
    },
  },
});

function toToolChoice(choice: NonNullable<ChatRequest["toolChoice"]>): ToolChoice {
  if (typeof choice === "object") return { tool: { name: choice.name } };
  return choice === "required" ? { any: {} } : { auto: {} };
}
