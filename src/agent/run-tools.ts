import type { ToolCall } from "../providers/contract.ts";
import type { RunContext, Tool } from "./contract.ts";

export interface ToolAnswer {
  readonly call: ToolCall;
  readonly output: string;
  readonly isError: boolean;
}

/** Runs tool calls side by side; each is in the transcript, and the answers come in the order of the calls. */
export const runTools = (
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  context: RunContext,
): Promise<ToolAnswer[]> => Promise.all(calls.map((call) => runTool(call, tools, context)));

async function runTool(call: ToolCall, tools: readonly Tool[], context: RunContext): Promise<ToolAnswer> {
  context.emit({ kind: "tool_call", id: call.id, tool: call.name, input: call.input });
  const answer = await answerCall(call, tools, context);
  context.emit({ kind: "tool_result", id: call.id, tool: call.name, ...answer });
  return { call, ...answer };
}

/** A throwing or unknown tool answers the model with the error instead of ending the run. */
async function answerCall(
  call: ToolCall,
  tools: readonly Tool[],
  context: RunContext,
): Promise<Omit<ToolAnswer, "call">> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const known = tools.map(({ name }) => name).join(", ") || "none";
    return { output: `there is no tool "${call.name}"; there are: ${known}`, isError: true };
  }
  try {
    return { output: toText(await tool.run(call.input, context)), isError: false };
  } catch (error) {
    return { output: error instanceof Error ? error.message || error.name : String(error), isError: true };
  }
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "done";
  return JSON.stringify(value) ?? String(value);
}
