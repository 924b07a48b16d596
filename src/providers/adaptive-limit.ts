const CUT_TO = 0.8;
/** Short, because a call has only so many tries until the limit is found; a provider that wants more time says so. */
const MIN_COOLDOWN_MS = 2_000;
const MAX_COOLDOWN_MS = 60_000;
/** Nobody is asked for more until they have been well for so long. */
const GROWTH_PAUSE_MS = 10_000;

export interface LimitInput {
  readonly nowMs: () => number;
  /** Told whenever the number of calls changes; null is no limit. */
  readonly onChange: (calls: number | null) => void;
}

/**
 * How many calls at a time a provider takes, learned from its refusals: none is known at first, an episode of refusals
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

  /** Whole calls at a time; infinite while there is no limit. */
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
