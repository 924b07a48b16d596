import type { Clock } from "../domain/clock.ts";
import type { FleetLimits } from "../domain/fleet-limit.ts";
import { ProviderError } from "../providers/provider.ts";
import { type FleetTurn, FleetTurns, type Patience } from "./fleet-turns.ts";

interface GateInput {
  readonly providerKey: string;
  readonly clock: Clock;
  readonly onLimit: (calls: number | null) => void;
  /** A limit shared with other gateways; without it, or when it cannot be reached, the gate learns by itself. */
  readonly fleet?: FleetLimits | undefined;
  readonly random: () => number;
}

/** Lets the calls to one provider through in turn, as many at a time as the provider takes. */
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
    let turn: FleetTurn | null = null;
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
    // A retried call has waited already, and has fewer tries left.
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

  async #learn(error: unknown, sentAtMs: number, turn: FleetTurn | null): Promise<void> {
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
    `${providerKey} currently accepts ${calls} ${calls === 1 ? "call" : "calls"} at a time, and this one waited longer than limits.maxWaitSeconds; raise it or lower concurrency`,
    { retryable: false },
  );

const CUT_TO = 0.8;
/** Short, because a call has only so many tries until the limit is found; a provider that wants more time says so. */
const MIN_COOLDOWN_MS = 2_000;
const MAX_COOLDOWN_MS = 60_000;
/** The limit grows only after so long without refusals. */
const GROWTH_PAUSE_MS = 10_000;

interface LimitInput {
  readonly nowMs: () => number;
  /** Called whenever the number of calls changes; null: any number. */
  readonly onChange: (calls: number | null) => void;
}

/**
 * Number of calls at a time that a provider takes, learned from its refusals: none is known at first, an episode of refusals
 * cuts it once to four fifths, and calls that succeed let it grow back one by one until it holds nobody up.
 */
export class AdaptiveLimit {
  readonly #input: LimitInput;
  #limit = Number.POSITIVE_INFINITY;
  #cutAtMs = Number.NEGATIVE_INFINITY;
  #cooldownUntilMs = Number.NEGATIVE_INFINITY;
  #growsFromMs = Number.NEGATIVE_INFINITY;

  constructor(input: LimitInput) {
    this.#input = input;
  }

  /** Whole calls at a time; infinite while no limit is known. */
  get calls(): number {
    return Math.floor(this.#limit);
  }

  /**
   * A call was refused for its rate. `mostInFlight` is how many were out at once since the last cut; a call that was
   * sent before that cut belongs to the same episode, and so does everything until the cooldown is over.
   */
  refused(call: { sentAtMs: number; mostInFlight: number; waitMs: number | null }): "cut" | "same-episode" {
    const nowMs = this.#input.nowMs();
    if (call.sentAtMs < this.#cutAtMs || nowMs < this.#cooldownUntilMs) return "same-episode";
    const cooldownMs = Math.min(MAX_COOLDOWN_MS, Math.max(MIN_COOLDOWN_MS, call.waitMs ?? 0));
    this.#cutAtMs = nowMs;
    this.#cooldownUntilMs = nowMs + cooldownMs;
    this.#pauseGrowth(Math.max(GROWTH_PAUSE_MS, cooldownMs));
    this.#set(Math.max(1, Math.floor(Math.min(this.#limit, call.mostInFlight) * CUT_TO)));
    return "cut";
  }

  /** The server failed by itself, which says nothing about how much it takes. */
  troubled(): void {
    this.#pauseGrowth(GROWTH_PAUSE_MS);
  }

  /** `mostWanted` is how many calls there have been at once, those in the queue included. */
  succeeded(mostWanted: number): void {
    if (this.#limit === Number.POSITIVE_INFINITY || this.#input.nowMs() < this.#growsFromMs) return;
    const grown = this.#limit + 1 / this.calls;
    this.#set(Math.floor(grown) >= mostWanted ? Number.POSITIVE_INFINITY : grown);
  }

  #pauseGrowth(ms: number): void {
    this.#growsFromMs = Math.max(this.#growsFromMs, this.#input.nowMs() + ms);
  }

  #set(limit: number): void {
    const before = this.calls;
    this.#limit = limit;
    if (this.calls !== before)
      this.#input.onChange(this.calls === Number.POSITIVE_INFINITY ? null : this.calls);
  }
}
