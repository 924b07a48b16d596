import type { Json } from "../domain/json.ts";
import type { TranscriptStep } from "../domain/run/log-entry.ts";
import { type Checker, type Finding, right, showValue, wrong } from "./checker.ts";
import { missingParts } from "./compare.ts";

export interface ToolCalledOptions {
  /** Part of the call's input. */
  readonly input?: Json;
  /** The number of such calls; at least one by default. */
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
 * The tool calls of a run, in order: those that the agent reported, or where it reported none, those that the
 * model asked for, without the one that delivers the answer of SimpleAgent.
 */
function toolCalls(transcript: readonly TranscriptStep[]): readonly MadeCall[] {
  const reported = transcript.flatMap((step) =>
    step.kind === "tool_call" ? [{ tool: step.tool, input: step.input }] : [],
  );
  if (reported.length > 0) return reported;
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

export interface ToolSequenceOptions {
  /** No other call is allowed before, between and after. */
  readonly exactly?: boolean;
}

/** The agent called these tools in this order; other calls may lie between them. */
export const toolSequence =
  (names: readonly string[], { exactly = false }: ToolSequenceOptions = {}): Checker =>
  (_result, _expected, { transcript }): Finding => {
    const called = toolCalls(transcript).map(({ tool }) => tool);
    const inOrder = countInOrder(called, names);
    const isRight = inOrder === names.length && (!exactly || called.length === names.length);
    const list = called.join(", ") || "no tool";
    if (isRight) return right(`called ${list}`);
    const wanted = names.join(", ") || "no tool";
    const score = inOrder / Math.max(names.length, exactly ? called.length : 0, 1);
    return wrong(`called ${list}, expected ${exactly ? "exactly " : ""}${wanted}`, score);
  };

const countInOrder = (called: readonly string[], names: readonly string[]): number =>
  called.reduce((found, tool) => (tool === names[found] ? found + 1 : found), 0);
