import { setTimeout as after } from "node:timers/promises";
import type { CallToolResult, Client, Transport } from "@modelcontextprotocol/client";
import { EvaluatorError, hasCode } from "../domain/errors.ts";
import { definedFields, isRecord, type Json, MAX_LEVELS, toStored } from "../domain/json.ts";
import type { OpenTools, RunContext, Tool, ToolSource } from "./agent.ts";
import { toToolName } from "./tools.ts";

const CONNECT_TIMEOUT_MS = 60_000;
/** The run's own limits end a tool long before; this ends a call that nobody waits for. */
const CALL_TIMEOUT_MS = 3_600_000;
/** A server that does not go by itself is ended with the run's processes. */
const CLOSE_TIMEOUT_MS = 1_000;

/** An MCP server: a command that speaks over stdin and stdout, or a URL. */
export type McpServer = (StdioServer | HttpServer) & {
  /** Put before each tool's name, for servers that use the same names. */
  readonly prefix?: string;
};

interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

interface HttpServer {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Connection {
  readonly client: Client;
  close(): Promise<unknown>;
}

/** The tools of an MCP server, which is started (or connected to) for each run and stopped with it. */
export function mcpTools(server: McpServer): ToolSource {
  const name = serverName(server);
  return {
    name,
    async open(signal) {
      const connection = await connect(server, name, signal);
      try {
        return {
          tools: await listTools(connection.client, server.prefix ?? "", signal),
          close: closing(connection),
        };
      } catch (error) {
        await closing(connection)();
        throw mcpUnreachable(name, error);
      }
    },
  };
}

const serverName = (server: McpServer): string =>
  "url" in server ? String(server.url) : [server.command, ...(server.args ?? [])].join(" ");

async function connect(server: McpServer, name: string, signal: AbortSignal): Promise<Connection> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "agent-evaluator", version: "1" });
  const transport = await transportOf(server);
  try {
    await client.connect(transport, { signal, timeout: CONNECT_TIMEOUT_MS });
  } catch (error) {
    // Why it could not be reached says more than why it could not be closed.
    await transport.close().catch(() => {});
    throw mcpUnreachable(name, error);
  }
  return { client, close: () => endSession(transport).finally(() => client.close()) };
}

async function transportOf(server: McpServer): Promise<Transport> {
  if ("url" in server) {
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    return new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { ...server.headers } },
    });
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { command, args = [], env, cwd } = server;
  return new StdioClientTransport({
    command,
    args: [...args],
    ...definedFields({ env: env && { ...env }, cwd }),
  });
}

/** A server over HTTP learns that the session is over; over stdio it sees its input end. */
const endSession = async (transport: Transport): Promise<void> => {
  if ("terminateSession" in transport && typeof transport.terminateSession === "function")
    await transport.terminateSession();
};

const closing =
  ({ close }: Connection): OpenTools["close"] =>
  async () => {
    // The run has its answer; a server that does not let go is ended with the run's process.
    const closed = close().catch(() => {});
    await Promise.race([closed, after(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  };

async function listTools(client: Client, prefix: string, signal: AbortSignal): Promise<Tool[]> {
  const { tools } = await client.listTools(undefined, { signal });
  return tools.map(({ name, description, inputSchema }) => ({
    name: toToolName(`${prefix}${name}`),
    description: description ?? name,
    inputSchema: JSON.parse(JSON.stringify(inputSchema)) as Json,
    run: (input, context) => callTool(client, name, input, context),
  }));
}

async function callTool(
  client: Client,
  name: string,
  input: unknown,
  { signal }: RunContext,
): Promise<string> {
  if (!isRecord(input)) throw new TypeError("the input does not fit: it is not an object");
  const asked = { name, arguments: { ...input } };
  const result: CallToolResult = await client
    .callTool(asked, { signal, timeout: CALL_TIMEOUT_MS })
    .catch((error: unknown) => {
      throw error instanceof RangeError ? tooDeep(name, error) : error;
    });
  const text = mcpText(result, name);
  if (result.isError === true) throw new Error(text || `${name} failed`);
  return text;
}

/** Says why an MCP server gave no tools, and what to do about it. */
function mcpUnreachable(name: string, cause: unknown): EvaluatorError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (code === "ERR_ACCESS_DENIED") {
    const next = "add `permissions: { spawn: true }` to the evaluation";
    return new EvaluatorError(
      "mcp.spawn_refused",
      `the MCP server "${name}" was not started, because a run may not start processes; ${next}`,
      { cause },
    );
  }
  return new EvaluatorError(
    "mcp.unreachable",
    `the MCP server "${name}" gave no tools: ${reason}${hintFor(cause)}`,
    { cause },
  );
}

function hintFor(cause: unknown): string {
  if (!(cause instanceof Error)) return "";
  if (hasCode(cause, "ENOENT")) return "; is it installed, and on the PATH?";
  if (!/connection closed/i.test(cause.message)) return "";
  return "; the run's stderr has what it printed, and a server on Node has the run's own `permissions`";
}

type Block = CallToolResult["content"][number];

/** A tool's result as text for the model. */
function mcpText({ content, structuredContent }: CallToolResult, name: string): string {
  const text = content.map(blockText).join("\n");
  if (text !== "" || structuredContent === undefined) return text;
  const stored = toStored(structuredContent);
  if (stored.kind === "unstorable") throw tooDeep(name, new Error(stored.why));
  return stored.text;
}

/** The model reads it in place of the result, and its run goes on. */
const tooDeep = (name: string, cause: Error): Error =>
  new Error(`the result of ${name} is nested deeper than ${MAX_LEVELS} levels, so it cannot be read`, {
    cause,
  });

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${block.data.length} characters of base64]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    case "resource_link":
      return `[${block.name}](${block.uri})`;
  }
}
