import { setTimeout as after } from "node:timers/promises";
import type { Client, Transport } from "@modelcontextprotocol/client";
import { definedFields } from "../domain/json.ts";
import { type McpServer, serverName, unreachable } from "./mcp-server.ts";

const CONNECT_TIMEOUT_MS = 60_000;
/** A server that does not go by itself is ended with the run's processes. */
const CLOSE_TIMEOUT_MS = 1_000;
/** A server that ends again and again is not started for ever. */
const MAX_RESTARTS = 3;

interface Session {
  readonly client: Client;
  readonly transport: Transport;
  isOver: boolean;
}

/** Connection to an MCP server; a server that ended is started again for the next call. */
export class McpConnection {
  readonly name: string;
  readonly #server: McpServer;
  #session: Promise<Session> | null = null;
  #restarts = -1;

  constructor(server: McpServer) {
    this.#server = server;
    this.name = serverName(server);
  }

  /** Asks the server; what was asked of one that ended meanwhile is not asked again, as it may have been done. */
  async ask<Answer>(question: (client: Client) => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    const session = await this.#running(signal);
    try {
      return await question(session.client);
    } catch (error) {
      // A server over HTTP that started again does not know the session.
      session.isOver ||= error instanceof Error && "status" in error && error.status === 404;
      throw error;
    }
  }

  async close(): Promise<void> {
    // The run has its answer; a server that does not let go is ended with the run's process.
    const closed = this.#session?.then(endSession).catch(() => {});
    await Promise.race([closed, after(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #running(signal: AbortSignal): Promise<Session> {
    const before = this.#session;
    const session = await before?.catch(() => null);
    if (session != null && !session.isOver) return session;
    // Of several calls that find it gone, the first starts it again.
    if (this.#session === before) {
      this.#restarts++;
      if (this.#restarts > MAX_RESTARTS)
        throw unreachable(this.name, new Error(`it ended ${MAX_RESTARTS} times after it was started again`));
      this.#session = connect(this.#server, this.name, signal);
    }
    return this.#session ?? this.#running(signal);
  }
}

async function connect(server: McpServer, name: string, signal: AbortSignal): Promise<Session> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "agent-evaluator", version: "1" });
  const transport = await transportOf(server);
  try {
    await client.connect(transport, { signal, timeout: CONNECT_TIMEOUT_MS });
  } catch (error) {
    // Why it could not be reached says more than why it could not be closed.
    await transport.close().catch(() => {});
    throw unreachable(name, error);
  }
  const session = { client, transport, isOver: false };
  client.onclose = () => {
    session.isOver = true;
  };
  return session;
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
async function endSession({ client, transport }: Session): Promise<void> {
  try {
    if ("terminateSession" in transport && typeof transport.terminateSession === "function")
      await transport.terminateSession();
  } finally {
    await client.close();
  }
}
