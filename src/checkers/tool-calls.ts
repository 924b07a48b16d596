import type { TranscriptStep } from "../domain/transcript.ts";

export interface MadeCall {
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
