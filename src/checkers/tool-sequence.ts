import type { Checker, Finding } from "./checker.ts";
import { right, wrong } from "./finding.ts";
import { toolCalls } from "./tool-called.ts";

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
