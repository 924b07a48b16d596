import type { CallToolResult } from "@modelcontextprotocol/client";
import { EvaluatorError, isEvaluatorError } from "../domain/errors.ts";
import { definedFields, isRecord, type Json, MAX_LEVELS, toStored } from "../domain/json.ts";
import { isImage } from "../domain/run/parts.ts";
import type { Part } from "../providers/provider.ts";
import type { RunContext, Tool, ToolSource } from "./agent.ts";
import { McpConnection } from "./mcp-connection.ts";
import { type McpServer, serverName, unreachable } from "./mcp-server.ts";
import { toToolName } from "./tools.ts";

/** The run's own limits end a tool long before; this ends a call that nobody waits for. */
const CALL_TIMEOUT_MS = 3_600_000;

/** Tools of an MCP server, which is started (or connected to) for each run and stopped with it. */
export function mcpTools(server: McpServer): ToolSource {
  const name = serverName(server);
  return {
    name,
    async open(signal) {
      const connection = new McpConnection(server);
      const close = () => connection.close();
      try {
        return { tools: chooseTools(server, name, await listTools(connection, signal)), close };
      } catch (error) {
        await close();
        throw isEvaluatorError(error) ? error : unreachable(name, error);
      }
    },
  };
}

/** Tools as agents get them: those that the definition chose, under names that every provider takes. */
function chooseTools(
  { tools: chosen, prefix = "", timeoutSeconds }: McpServer,
  server: string,
  tools: readonly Tool[],
): Tool[] {
  const names = tools.map(({ name }) => name);
  const unknown = chosen?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new EvaluatorError(
      "mcp.tool_unknown",
      `the MCP server "${server}" has no tool "${unknown}"; it has ${names.join(", ") || "none"}`,
    );
  return tools
    .filter(({ name }) => chosen?.includes(name) ?? true)
    .map((tool) => ({
      ...{ ...tool, name: toToolName(`${prefix}${tool.name}`) },
      ...definedFields({ timeoutSeconds }),
    }));
}

async function listTools(connection: McpConnection, signal: AbortSignal): Promise<Tool[]> {
  const { tools, hasResources } = await connection.ask(async (client) => {
    const listed = await client.listTools(undefined, { signal });
    return { ...listed, hasResources: client.getServerCapabilities()?.resources !== undefined };
  }, signal);
  const own = tools.map(
    ({ name, description, inputSchema }): Tool => ({
      name,
      description: description ?? name,
      inputSchema: JSON.parse(JSON.stringify(inputSchema)) as Json,
      run: (input, context) => callTool(connection, name, input, context),
    }),
  );
  const isTaken = own.some(({ name }) => name === READ_RESOURCE);
  return hasResources && !isTaken ? [...own, resourceTool(connection)] : own;
}

async function callTool(
  connection: McpConnection,
  name: string,
  input: unknown,
  { signal }: RunContext,
): Promise<string | Part[]> {
  if (!isRecord(input)) throw new TypeError("the input does not fit: it is not an object");
  const asked = { name, arguments: { ...input } };
  const options = { signal, timeout: CALL_TIMEOUT_MS };
  const result: CallToolResult = await connection
    .ask((client) => client.callTool(asked, options), signal)
    .catch((error: unknown) => {
      throw error instanceof RangeError ? tooDeep(name, error) : error;
    });
  const content = mcpContent(result, name);
  if (result.isError === true) throw new Error(textIn(content) || `${name} failed`);
  return content;
}

const READ_RESOURCE = "read_resource";

/** Results may link to resources, which a model can read with this. */
const resourceTool = (connection: McpConnection): Tool => ({
  name: READ_RESOURCE,
  description: "Reads a resource of this server by its URI, such as one that a tool's result links to.",
  inputSchema: {
    type: "object",
    properties: { uri: { type: "string" } },
    required: ["uri"],
    additionalProperties: false,
  },
  async run(input, { signal }) {
    const { uri } = Object(input);
    if (typeof uri !== "string") throw new TypeError('the input does not fit: "uri" is not a text');
    const options = { signal, timeout: CALL_TIMEOUT_MS };
    const { contents } = await connection.ask((client) => client.readResource({ uri }, options), signal);
    return joined(contents.map(resourcePart));
  },
});

type Block = CallToolResult["content"][number];
type Resource = Extract<Block, { type: "resource" }>["resource"];

/** A tool's result for the model: text, or a list where it has images. */
function mcpContent({ content, structuredContent }: CallToolResult, name: string): string | Part[] {
  const whole = joined(content.map(toPart));
  if (whole !== "" || structuredContent === undefined) return whole;
  const stored = toStored(structuredContent);
  if (stored.kind === "unstorable") throw tooDeep(name, new Error(stored.why));
  return stored.text;
}

const joined = (parts: Part[]): string | Part[] => (parts.some(isImage) ? parts : textIn(parts));

const textIn = (content: string | readonly Part[]): string =>
  typeof content === "string"
    ? content
    : content.map((part) => (part.kind === "text" ? part.text : "")).join("\n");

/** The model reads it in place of the result, and its run goes on. */
const tooDeep = (name: string, cause: Error): Error =>
  new Error(`the result of ${name} is nested deeper than ${MAX_LEVELS} levels, so it cannot be read`, {
    cause,
  });

function toPart(block: Block): Part {
  switch (block.type) {
    case "text":
      return { kind: "text", text: block.text };
    case "image":
      return { kind: "image", mediaType: block.mimeType, base64: block.data };
    case "audio":
      return { kind: "text", text: `[audio ${block.mimeType}, ${block.data.length} characters of base64]` };
    case "resource":
      return resourcePart(block.resource);
    case "resource_link":
      return { kind: "text", text: `[${block.name}](${block.uri})` };
  }
}

function resourcePart(resource: Resource): Part {
  if ("text" in resource) return { kind: "text", text: resource.text };
  const { mimeType: mediaType = "", blob: base64, uri } = resource;
  if (mediaType.startsWith("image/")) return { kind: "image", mediaType, base64 };
  return { kind: "text", text: `[resource ${uri}]` };
}
