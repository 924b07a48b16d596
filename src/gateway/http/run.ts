import type { Json } from "../../domain/json.ts";
import type { Model } from "../../domain/model.ts";
import type { CallUsage } from "../../domain/run/usage.ts";
import type { ProviderError } from "../../providers/provider-error.ts";
import type { Patience } from "../call-gate.ts";

/** A run on whose behalf calls come in over HTTP: it holds them to its limits, meters and records them. */
export interface GatewayRun {
  readonly providerKey: string;
  readonly patience: Patience;
  /** Takes out of a text what the run's agent may not see. */
  hide(text: string): string;
  /** Counts one more model call, or says why there may be none. */
  admitCall(): string | null;
  /** Heard before the agent gets to the end of the reply, so that no run ends with a call that was not counted. */
  takeCall(call: HttpCall): Promise<void>;
}

/** One model call of an agent's own SDK, as it ended. */
export interface HttpCall {
  readonly model: Model;
  /** The body as the agent sent it. */
  readonly request: Json;
  /** In the words of our own contract where it could be read, else as it came. */
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

/** Says which run a token stands for at the moment. */
export interface RunTokens {
  serve(token: string, run: GatewayRun): void;
  /** Takes nothing new and drops what is under way; resolves when that was told to the run. */
  release(token: string): Promise<void>;
}
