import type { Clock } from "../domain/clock.ts";
import { type ChatProvider, ChatReply, type ChatRequest, type ProviderFactory } from "./contract.ts";
import { ProviderError } from "./provider-error.ts";

const MAX_TRIES = 6;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

export interface GatewayCall {
  readonly providerKey: string;
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  /** Asked before each wait; false means that the run has waited long enough. */
  readonly mayWait: (waitMs: number) => boolean;
  readonly onWaiting: (isWaiting: boolean) => void;
}

export interface GatewayReply {
  readonly reply: ChatReply;
  readonly retries: number;
  readonly latencyMs: number;
}

/** Makes every model call of every run: it holds the providers and is the one layer that retries calls. */
export class Gateway {
  readonly #factory: ProviderFactory;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #providers = new Map<string, Promise<ChatProvider>>();

  constructor(factory: ProviderFactory, clock: Clock, random: () => number) {
    this.#factory = factory;
    this.#clock = clock;
    this.#random = random;
  }

  async call(call: GatewayCall): Promise<GatewayReply> {
    const provider = await this.#provider(call.providerKey);
    for (let tries = 1; ; tries++) {
      const startedAt = this.#clock.monotonicMs();
      try {
        const reply = ChatReply.parse(await provider.generate(call.request, { signal: call.signal }));
        return { reply, retries: tries - 1, latencyMs: Math.round(this.#clock.monotonicMs() - startedAt) };
      } catch (error) {
        const failed = toProviderError(error, call.providerKey);
        if (!failed.retryable || tries === MAX_TRIES || call.signal.aborted) throw failed;
        await this.#wait(call, failed, tries);
      }
    }
  }

  async #wait(call: GatewayCall, failed: ProviderError, tries: number): Promise<void> {
    const backoffMs =
      Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1)) * (0.5 + this.#random() / 2);
    const waitMs = Math.round(Math.max(failed.waitMs ?? 0, backoffMs));
    if (!call.mayWait(waitMs)) throw failed;
    call.onWaiting(true);
    try {
      await this.#clock.sleep(waitMs, call.signal);
    } finally {
      call.onWaiting(false);
    }
  }

  #provider(providerKey: string): Promise<ChatProvider> {
    const known = this.#providers.get(providerKey);
    if (known !== undefined) return known;
    const made = Promise.resolve(this.#factory(providerKey));
    this.#providers.set(providerKey, made);
    return made;
  }
}

const toProviderError = (error: unknown, providerKey: string): ProviderError =>
  error instanceof ProviderError
    ? error
    : new ProviderError(
        "provider_error",
        `${providerKey}: ${error instanceof Error ? error.message : String(error)}`,
        {
          retryable: false,
          cause: error,
        },
      );
