import type { Json } from "../domain/json.ts";
import type { TranscriptStep } from "../domain/run/log-entry.ts";
import type { Checker, Finding } from "./checker.ts";
import { right, showValue, wrong } from "./finding.ts";
import { missingParts } from "./subset.ts";

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

interface MadeCall {
  readonly tool: string;
  readonly input: unknown;
}

/**
 * The tool calls of a run, in order: those that the agent told of, or where it told of none, those that the
 * model asked for, without the one that delivers the answer of our own agent.
 */
export function toolCalls(transcript: readonly TranscriptStep[]): readonly MadeCall[] {
  const told = transcript.flatMap((step) =>
    step.kind === "tool_call" ? [{ tool: step.tool, input: step.input }] : [],
  );
  if (told.length > 0) return told;
  return transcript
    .flatMap((step) => (step.kind === "model_call" ? askedFor(step.reply) : []))
    .filter(({ tool }) => tool !== "finish");
}

function askedFor(reply: unknown): MadeCall[] {
  const { toolCalls: calls } = Object(reply) as { toolCalls?: unknown };
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown) => {
    const { name, input } = Object(call) as { name?: unknown; input?: unknown };
    return typeof name === "string" ? [{ tool: name, input }] : [];
  });
}
