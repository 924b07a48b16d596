import type { EvaluationEvent } from "./events.ts";

/** How a durable execution stands; `unknown`: none of that name was started. */
export type ExecutionState = "running" | "ended" | "unknown";

/** The executions of the orchestrator. */
export interface Executions {
  /** The version that new evaluations are given to, with all it calls. */
  readonly version: string;
  /** Starts an execution and does not wait for it; one of the same name that was started before is left alone. */
  start(version: string, name: string, event: EvaluationEvent): Promise<void>;
  describe(version: string, name: string): Promise<ExecutionState>;
  /** Ends one that is running where it stands; it is not heard of again. */
  stop(version: string, name: string): Promise<void>;
}
