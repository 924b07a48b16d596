import type { Json } from "../../domain/json.ts";
import type { Model } from "../../domain/model.ts";
import type { CallUsage } from "../../domain/run/usage.ts";
import type { ProviderError } from "../../providers/provider.ts";
import type { Patience } from "../fleet-turns.ts";

/** The run that HTTP calls belong to: it holds them to its limits, meters and records them. */
export interface GatewayRun {
  readonly providerKey: string;
  readonly patience: Patience;
  /** Takes out of a text what the run's agent may not see. */
  hide(text: string): string;
  /** Counts one more model call, or says why there may be none. */
  admitCall(): string | null;
  /** Called before the agent gets the end of the reply, so that no run ends with a call that was not counted. */
  takeCall(call: HttpCall): Promise<void>;
}

/** One model call of an agent's own SDK, as it ended. */
export interface HttpCall {
  readonly model: Model;
  /** The body as the agent sent it. */
  readonly request: Json;
  /** As a ChatReply where it could be read, else as it came. */
  readonly reply: Json | null;
  readonly usage: CallUsage | null;
  readonly firstTokenMs: number | null;
  readonly latencyMs: number;
  readonly retries: number;
  readonly failed: FailedHttpCall | null;
}

export interface FailedHttpCall {
  readonly error: ProviderError;
  /** The agent's where it dropped the call, or asked for what no model takes. */
  readonly fault: "provider" | "agent";
}

/** Assigns tokens to runs. */
export interface RunTokens {
  serve(token: string, run: GatewayRun): void;
  /** Takes nothing new and drops what is under way; resolves when the run has recorded that. */
  release(token: string): Promise<void>;
}
