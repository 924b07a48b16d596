import type { Json } from "../domain/json.ts";
import type { Checker, Finding } from "./contract.ts";
import { right, wrong } from "./finding.ts";
import { missingParts } from "./missing-parts.ts";
import { showValue } from "./show-value.ts";
import { toolCalls } from "./tool-calls.ts";

export interface ToolCalledOptions {
  /** What the call's input has at least. */
  readonly input?: Json;
  /** How often; at least once by default. */
  readonly times?: number;
}

/** The agent called this tool, whatever the tool answered. */
export const toolCalled =
  (name: string, { input, times }: ToolCalledOptions = {}): Checker =>
  (_result, _expected, { transcript }): Finding => {
    const all = toolCalls(transcript);
    const fitting = all.filter(
      (call) =>
        call.tool === name && (input === undefined || missingParts(call.input, input).missing.length === 0),
    );
    const what = `${name}${input === undefined ? "" : ` with ${showValue(input)}`}`;
    if (times !== undefined && fitting.length !== times)
      return wrong(`called ${what} ${often(fitting.length)}, expected ${often(times)}`);
    if (fitting.length > 0 || times === 0) return right(`called ${what} ${often(fitting.length)}`);
    const others = [...new Set(all.map(({ tool }) => tool))].join(", ") || "no tool";
    return wrong(`did not call ${what}; it called ${others}`);
  };

function often(times: number): string {
  if (times === 0) return "never";
  return times === 1 ? "once" : `${times} times`;
}
