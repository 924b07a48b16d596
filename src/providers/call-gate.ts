import type { Clock } from "../domain/clock.ts";
import type { FleetLimits } from "../domain/fleet-limit.ts";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { FleetTurns, type Turn } from "./fleet-turns.ts";
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
  /** What other gateways know too; without it, or when it cannot be reached, the gate learns by itself. */
  readonly fleet?: FleetLimits | undefined;
  readonly random: () => number;
}

/** Lets the calls to one provider through in turn, as many at a time as it takes. */
export class CallGate {
  readonly #input: GateInput;
  readonly #limit: AdaptiveLimit;
  readonly #turns: FleetTurns | null;
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #mostInFlight = 0;
  #mostWanted = 0;

  constructor(input: GateInput) {
    this.#input = input;
    this.#limit = new AdaptiveLimit({ nowMs: () => input.clock.monotonicMs(), onChange: input.onLimit });
    this.#turns = input.fleet === undefined ? null : new FleetTurns({ ...input, limits: input.fleet });
  }

  /** Rejects with what `send` rejects with, with the signal's reason, or when patience ends before its turn comes. */
  async pass<T>(patience: Patience, isRetry: boolean, send: () => Promise<T>): Promise<T> {
    await this.#enter(patience, isRetry);
    let turn: Turn | null = null;
    let sentAtMs = this.#input.clock.monotonicMs();
    try {
      turn = (await this.#turns?.take(patience)) ?? null;
      sentAtMs = this.#input.clock.monotonicMs();
      const answer = await send();
      this.#limit.succeeded(this.#mostWanted);
      return answer;
    } catch (error) {
      await this.#learn(error, sentAtMs, turn);
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

  async #learn(error: unknown, sentAtMs: number, turn: Turn | null): Promise<void> {
    if (!(error instanceof ProviderError) || !error.retryable) return;
    if (error.code !== "rate_limited") return this.#limit.troubled();
    if (turn !== null) return this.#turns?.refused(turn, error.waitMs);
    this.#turns?.refusedAlone();
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
