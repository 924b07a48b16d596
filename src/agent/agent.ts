import type { GatewayAccess } from "../domain/gateway-access.ts";
import type { Json } from "../domain/json.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import type { ChatProvider, ChatReply } from "../providers/provider.ts";

/** An agent throws this when it gives up: the run is `no_answer`, not an error. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  readonly code = "no_answer";
}

export type AgentStep =
  | { kind: "tool_call"; id: string; tool: string; input: Json }
  | { kind: "tool_result"; id: string; tool: string; output: Json; isError: boolean }
  | { kind: "note"; text: string; data?: Json };

/** The run as its agent sees it, and what the agent may report to the evaluator. */
export interface RunContext {
  /** Aborted when the run has to end; what still works after that is killed. */
  readonly signal: AbortSignal;
  readonly runId: string;
  readonly providerKey: string;
  readonly model: string;
  /** The name of the variant that runs; not there where the evaluation has none. */
  readonly variant?: string;
  readonly problemId: string;
  readonly problem: Json;
  readonly trial: number;
  /** The run's own folder; gone when the run is. */
  readonly tempFolder: string;
  /** The base URL and key for the agent's own SDK; null unless the evaluation says `gateway: true`. */
  readonly gateway: GatewayAccess | null;
  /** Adds a step to the transcript. */
  emit(step: AgentStep): void;
  /** Counts calls that use neither the evaluator's provider nor its gateway; those are counted already. */
  reportUsage(usage: Partial<CallUsage>): void;
}

export type AgentFunction<Result = unknown> = (context: RunContext) => Result | Promise<Result>;

/** Anything that runs to a result: an object with `run`, or a plain function. */
export type Agent<Result = unknown> =
  | { run(context: RunContext): Result | Promise<Result> }
  | AgentFunction<Result>;

/** A function that a model may call; `inputSchema` is JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
  /** How long a call may take; after that the model is told so, and the tool's signal is aborted. */
  readonly timeoutSeconds?: number;
  run(input: unknown, context: RunContext): unknown;
}

/** Tools that come from elsewhere, such as an MCP server: opened when a run starts, closed when it ends. */
export interface ToolSource {
  readonly name: string;
  open(signal: AbortSignal): Promise<OpenTools>;
}

export interface OpenTools {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

/** Builds an agent of this package, with the reply that ends it, to warm a process up before its run. */
export interface Rehearsal {
  readonly buildAgent: (provider: ChatProvider, model: string) => Agent;
  readonly reply: ChatReply;
}

const known: Rehearsal[] = [];

export const rehearseWith = (rehearsal: Rehearsal): void => void known.push(rehearsal);

/** The agents of this package that this process has loaded. */
export const rehearsals = (): readonly Rehearsal[] => known;
