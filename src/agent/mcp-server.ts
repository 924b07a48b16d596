// Without the MCP SDK, whose types need Node's: published types lead here.
import { EvaluatorError, hasCode } from "../domain/errors.ts";

/** An MCP server: a command that speaks over stdin and stdout, or a URL. */
export type McpServer = (StdioServer | HttpServer) & {
  /** Put before each tool's name, for servers that use the same names. */
  readonly prefix?: string;
  /** The server's own names of the tools that agents get; all by default. */
  readonly tools?: readonly string[];
  /** How long a call of one of its tools may take. */
  readonly timeoutSeconds?: number;
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

/** The name of a server in messages: its URL or its command line. */
export const serverName = (server: McpServer): string =>
  "url" in server ? String(server.url) : [server.command, ...(server.args ?? [])].join(" ");

/** Says why an MCP server gave no tools, and what to do about it. */
export function unreachable(name: string, cause: unknown): EvaluatorError {
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
  return "; the run's stderr has what it printed";
}
