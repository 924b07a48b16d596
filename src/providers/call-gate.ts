import type { Clock } from "../domain/clock.ts";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { ProviderError } from "./provider-error.ts";

/** How long a call may wait for rate limits, and who wants to know that it does. */
export interface Patience {
  readonly signal: AbortSignal;
  readonly waitLeftMs: () => number;
  readonly onWaiting: (isWaiting: boolean) => void;
}

export interface GateInput {
  readonly providerKey: string;
  readonly clock: Clock;
  readonly onLimit: (calls: number | null) => void;
}

/** Lets the calls to one provider through in turn, as many at a time as it takes. */
export class CallGate {
  readonly #input: GateInput;
  readonly #limit: AdaptiveLimit;
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #mostInFlight = 0;
  #mostWanted = 0;

  constructor(input: GateInput) {
    this.#input = input;
    this.#limit = new AdaptiveLimit({ nowMs: () => input.clock.monotonicMs(), onChange: input.onLimit });
  }

  /** Rejects with what `send` rejects with, with the signal's reason, or when patience ends before its turn comes. */
  async pass<T>(patience: Patience, isRetry: boolean, send: () => Promise<T>): Promise<T> {
    await this.#enter(patience, isRetry);
    const sentAtMs = this.#input.clock.monotonicMs();
    try {
      const answer = await send();
      this.#limit.succeeded(this.#mostWanted);
      return answer;
    } catch (error) {
      this.#learn(error, sentAtMs);
      throw error;
    } finally {
      this.#inFlight--;
      this.#letIn();
    }
  }

  async #enter(patience: Patience, isRetry: boolean): Promise<void> {
    patience.signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    // Who comes back has waited already, and has fewer tries left.
    if (isRetry) this.#queue.unshift(turn.resolve);
    else this.#queue.push(turn.resolve);
    this.#mostWanted = Math.max(this.#mostWanted, this.#inFlight + this.#queue.length);
    this.#letIn();
    if (!this.#queue.includes(turn.resolve)) return;
    const giveUp = (error: unknown) => {
      const place = this.#queue.indexOf(turn.resolve);
      if (place === -1) return;
      this.#queue.splice(place, 1);
      turn.reject(error);
    };
    const entered = new AbortController();
    const waitMs = Math.max(0, patience.waitLeftMs());
    patience.onWaiting(true);
    this.#input.clock.sleep(waitMs, AbortSignal.any([patience.signal, entered.signal])).then(
      () => giveUp(waitedTooLong(this.#input.providerKey, this.#limit.calls)),
      () => giveUp(patience.signal.reason),
    );
    try {
      await turn.promise;
    } finally {
      entered.abort();
      patience.onWaiting(false);
    }
  }

  #letIn(): void {
    while (this.#queue.length > 0 && this.#inFlight < this.#limit.calls) {
      this.#inFlight++;
      this.#queue.shift()?.();
    }
    this.#mostInFlight = Math.max(this.#mostInFlight, this.#inFlight);
  }

  #learn(error: unknown, sentAtMs: number): void {
    if (!(error instanceof ProviderError) || !error.retryable) return;
    if (error.code !== "rate_limited") return this.#limit.troubled();
    const refusal = { sentAtMs, mostInFlight: this.#mostInFlight, waitMs: error.waitMs };
    if (this.#limit.refused(refusal) === "cut") this.#mostInFlight = 0;
  }
}

const waitedTooLong = (providerKey: string, calls: number): ProviderError =>
  new ProviderError(
    "rate_limited",
    `${providerKey} takes ${calls} ${calls === 1 ? "call" : "calls"} at a time at the moment, and this one's turn did not come within limits.maxWaitSeconds; raise that, or lower concurrency`,
    { retryable: false },
  );
