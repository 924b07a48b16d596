import type { Clock } from "../domain/clock.ts";
import type { FleetLimits } from "../domain/fleet-limit.ts";
import type { CallExtras } from "../providers/model-options.ts";
import {
  type CallOptions,
  type ChatProvider,
  ChatReply,
  type ChatRequest,
  ProviderError,
  type ProviderFactory,
} from "../providers/provider.ts";
import { SCRIPTED } from "../providers/scripted.ts";
import { CallGate } from "./call-gate.ts";
import type { Patience } from "./fleet-turns.ts";

/** Tries of one call, at most. */
export const MAX_TRIES = 6;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

interface GatewayDeps {
  readonly factory: ProviderFactory;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called with how many calls at a time a provider takes from now on; null: any number. */
  readonly onLimit?: (providerKey: string, calls: number | null) => void;
  /** The limits that this gateway shares with others; by itself it has its own. */
  readonly fleet?: FleetLimits | undefined;
}

export interface GatewayCall extends Patience {
  readonly providerKey: string;
  readonly request: ChatRequest;
  /** What is sent beside what the request says. */
  readonly extras?: CallExtras;
}

/** The end of a call after all its tries; the latency is that of the last one, without any wait. */
export type SendResult<T> = { readonly retries: number; readonly latencyMs: number } & (
  | { readonly kind: "answered"; readonly answer: T }
  | { readonly kind: "failed"; readonly error: ProviderError }
);

/** Makes every model call of every run: it holds the providers and is the one layer that retries calls. */
export class Gateway {
  readonly #input: GatewayDeps;
  readonly #providers = new Map<string, Promise<ChatProvider>>();
  readonly #gates = new Map<string, CallGate>();

  constructor(input: GatewayDeps) {
    this.#input = input;
  }

  async call({ providerKey, request, extras, ...patience }: GatewayCall): Promise<SendResult<TimedReply>> {
    try {
      // The time to load an SDK is not part of the latency.
      const provider = await this.#provider(providerKey);
      return await this.send(providerKey, patience, () =>
        askProvider(provider, request, { signal: patience.signal, ...extras }, this.#nowMs),
      );
    } catch (thrown) {
      return { kind: "failed", error: toProviderError(thrown, providerKey), retries: 0, latencyMs: 0 };
    }
  }

  /** Sends anything to a provider, under its limit and with the same retries; whether to retry is up to the ProviderError. */
  async send<T>(providerKey: string, patience: Patience, trySend: () => Promise<T>): Promise<SendResult<T>> {
    const gate = this.#gate(providerKey);
    for (let retries = 0; ; retries++) {
      let startedAtMs = this.#nowMs();
      try {
        const answer = await gate.pass(patience, retries > 0, () => {
          startedAtMs = this.#nowMs();
          return trySend();
        });
        return { kind: "answered", answer, retries, latencyMs: this.#since(startedAtMs) };
      } catch (thrown) {
        const latencyMs = this.#since(startedAtMs);
        const error = await this.#waitToRetry(toProviderError(thrown, providerKey), patience, retries);
        if (error !== null) return { kind: "failed", error, retries, latencyMs };
      }
    }
  }

  /** Null once it has waited and another try is due, else the error that the call ends with. */
  async #waitToRetry(
    error: ProviderError,
    patience: Patience,
    retries: number,
  ): Promise<ProviderError | null> {
    if (!error.retryable || retries + 1 === MAX_TRIES || patience.signal.aborted) return error;
    const waitMs = Math.round(Math.max(error.waitMs ?? 0, this.#backoffMs(retries)));
    if (waitMs > patience.waitLeftMs()) return outOfPatience(error, waitMs);
    patience.onWaiting(true);
    try {
      await this.#input.clock.sleep(waitMs, patience.signal);
      return null;
    } catch {
      return error; // Stopped while it waited: the earlier failure is the one to report.
    } finally {
      patience.onWaiting(false);
    }
  }

  /** Doubles with every try; up to half of it is left to chance, so that calls refused together do not return together. */
  #backoffMs(retries: number): number {
    return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries) * (0.5 + this.#input.random() / 2);
  }

  #provider(providerKey: string): Promise<ChatProvider> {
    const known = this.#providers.get(providerKey);
    if (known !== undefined) return known;
    const made = Promise.try(this.#input.factory, providerKey);
    this.#providers.set(providerKey, made);
    // An agent may make up any number of keys.
    made.catch(() => this.#providers.delete(providerKey));
    return made;
  }

  #gate(providerKey: string): CallGate {
    const known = this.#gates.get(providerKey);
    if (known !== undefined) return known;
    const onLimit = (calls: number | null) => this.#input.onLimit?.(providerKey, calls);
    const { clock, random } = this.#input;
    // What answers in this very process has no limit to share.
    const fleet = providerKey === SCRIPTED ? undefined : this.#input.fleet;
    const gate = new CallGate({ providerKey, clock, onLimit, fleet, random });
    this.#gates.set(providerKey, gate);
    return gate;
  }

  readonly #nowMs = (): number => this.#input.clock.monotonicMs();

  #since(startedAtMs: number): number {
    return Math.round(this.#nowMs() - startedAtMs);
  }
}

const outOfPatience = (error: ProviderError, waitMs: number): ProviderError =>
  new ProviderError(
    error.code,
    `${error.message}; gave up: the next retry in ${Math.ceil(waitMs / 1_000)} s exceeds limits.maxWaitSeconds`,
    { retryable: false, trouble: error.trouble, cause: error },
  );

function toProviderError(thrown: unknown, providerKey: string): ProviderError {
  if (thrown instanceof ProviderError) return thrown;
  const message = thrown instanceof Error ? thrown.message : reasonOf(thrown);
  return new ProviderError("provider_error", `${providerKey}: ${message}`, {
    retryable: false,
    cause: thrown,
  });
}

/** A run that ends gives its calls the failure as their reason. */
const reasonOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "message" in thrown
    ? String(thrown.message)
    : String(thrown);

interface TimedReply {
  readonly reply: ChatReply;
  /** From the request to the first piece of text; null where no text came as a stream. */
  readonly firstTokenMs: number | null;
}

/** One call as the request wants it: as a stream where both sides can, else in one piece. */
async function askProvider(
  provider: ChatProvider,
  request: ChatRequest,
  options: CallOptions,
  nowMs: () => number,
): Promise<TimedReply> {
  if (!request.stream || provider.stream === undefined) {
    return { reply: ChatReply.parse(await provider.generate(request, options)), firstTokenMs: null };
  }
  const startedAtMs = nowMs();
  let firstTokenMs: number | null = null;
  for await (const chunk of provider.stream(request, options)) {
    if (chunk.kind === "reply") return { reply: ChatReply.parse(chunk.reply), firstTokenMs };
    firstTokenMs ??= Math.round(nowMs() - startedAtMs);
  }
  throw new ProviderError(
    "provider_error",
    `the stream of ${request.model} ended before its reply was complete`,
    { retryable: true },
  );
}
