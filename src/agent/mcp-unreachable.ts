import { EvaluatorError } from "../domain/evaluator-error.ts";
import { hasCode } from "../domain/has-code.ts";

/** Why an MCP server gave no tools, and what to do about it. */
export function mcpUnreachable(name: string, cause: unknown): EvaluatorError {
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
