import type { Clock } from "../domain/clock.ts";
import {
  callsPerLease,
  type FleetLease,
  type FleetLimit,
  type FleetLimits,
  FRESH_MS,
  LATE_MS,
  turnBySight,
} from "../domain/fleet-limit.ts";
import { ProviderError } from "../providers/provider.ts";

/** The time that a call may wait for rate limits, and who is told while it does. */
export interface Patience {
  readonly signal: AbortSignal;
  readonly waitLeftMs: () => number;
  readonly onWaiting: (isWaiting: boolean) => void;
}

/** A shared limit that does not answer in time holds nobody up for longer, and is left alone for a while. */
const LONGEST_ASK_MS = 5_000;
const LEFT_ALONE_MS = 10_000;
/** For how long calls go by what was seen of the limit. */
const SEEN_FOR_MS = 1_000;
/** The weight of the last gap between two turns in the guess at the next. */
const NEWS = 0.3;
/** Alone, each refusal makes the gaps twice as long, within these bounds, and each call a little shorter. */
const LEAST_GAP_MS = 250;
const LONGEST_GAP_MS = 60_000;
const SHORTER = 0.98;

interface TurnsDeps {
  readonly providerKey: string;
  readonly clock: Clock;
  readonly limits: FleetLimits;
  readonly random: () => number;
}

export interface FleetTurn extends Pick<FleetLease, "episode" | "stepMs"> {
  readonly atMs: number;
  readonly leasedAtMs: number;
}

/** Leases turns under a limit that several gateways share: a brake, and never a reason to fail. */
export class FleetTurns {
  readonly #input: TurnsDeps;
  #asking: ((turn: FleetTurn | null) => void)[] = [];
  #isLeasing = false;
  #seen: { readonly limit: FleetLimit | null; readonly atMs: number } | null = null;
  #awayUntilMs = Number.NEGATIVE_INFINITY;
  #lastMs: number | null = null;
  #paceMs = 0;

  constructor(input: TurnsDeps) {
    this.#input = input;
  }

  /** Waits for the turn of a call; null when the others cannot be asked, and the gateway's own limit holds. */
  async take(patience: Patience): Promise<FleetTurn | null> {
    for (;;) {
      const turn = await this.#ask();
      if (turn === null) return this.#keepPace(patience);
      await this.#wait(turn.atMs, patience);
      await this.#spread(turn, patience);
      if (await this.#holds(turn)) return this.#took(turn);
    }
  }

  /** Turns that a slow table or a busy process made late would be used all at once; chance keeps them apart. */
  async #spread({ atMs }: FleetTurn, patience: Patience): Promise<void> {
    const lateMs = this.#nowMs() - atMs;
    if (lateMs > LATE_MS) await this.#wait(this.#nowMs() + lateMs * this.#input.random(), patience);
  }

  #took(turn: FleetTurn): FleetTurn {
    const gapMs = turn.atMs - (this.#lastMs ?? turn.atMs);
    this.#paceMs = this.#lastMs === null ? 0 : this.#paceMs * (1 - NEWS) + Math.max(0, gapMs) * NEWS;
    this.#lastMs = turn.atMs;
    return turn;
  }

  /** Alone, a gateway goes on as fast as the others let it before: all of them at once would be a storm. */
  async #keepPace(patience: Patience): Promise<null> {
    if (this.#lastMs === null) return null;
    const atMs = Math.max(this.#nowMs(), this.#lastMs + this.#paceMs);
    this.#paceMs *= SHORTER;
    this.#lastMs = atMs;
    await this.#wait(atMs, patience);
    return null;
  }

  /** A call that was sent without a turn. */
  refusedAlone(): void {
    this.#lastMs ??= this.#nowMs();
    this.#paceMs = Math.min(LONGEST_GAP_MS, Math.max(LEAST_GAP_MS, this.#paceMs * 2));
  }

  async refused({ episode, stepMs }: FleetTurn, waitMs: number | null): Promise<void> {
    this.#seen = null;
    const { providerKey, limits } = this.#input;
    await this.#reach(() => limits.cut(providerKey, { episode, stepMs, waitMs }, this.#nowMs()));
  }

  /** Calls that come while a lease is on its way go together in the next. */
  #ask(): Promise<FleetTurn | null> {
    const { promise, resolve } = Promise.withResolvers<FleetTurn | null>();
    this.#asking.push(resolve);
    if (!this.#isLeasing) void this.#lease();
    return promise;
  }

  async #lease(): Promise<void> {
    const { providerKey, limits, random } = this.#input;
    this.#isLeasing = true;
    while (this.#asking.length > 0) {
      const seen = await this.#look();
      const leasedAtMs = this.#nowMs();
      const perLease = seen?.limit ? callsPerLease(seen.limit, seen.atMs) : 1;
      const { length } = this.#asking;
      // By chance, because many gateways that each begin to count would all be late to lease.
      const isLeased = !seen?.limit || random() * perLease < length;
      const lease = isLeased
        ? seen && (await this.#reach(() => limits.lease(providerKey, Math.max(perLease, length), leasedAtMs)))
        : { ...turnBySight(seen.limit, seen.atMs, leasedAtMs), calls: length };
      if (lease === null) for (const answer of this.#asking.splice(0)) answer(null);
      else this.#handOut(lease, leasedAtMs);
    }
    this.#isLeasing = false;
  }

  /** Null when the others cannot be asked. */
  async #look() {
    const atMs = this.#nowMs();
    if (this.#seen !== null && atMs - this.#seen.atMs < SEEN_FOR_MS) return this.#seen;
    const { providerKey, limits } = this.#input;
    this.#seen = await this.#reach(async () => ({ limit: await limits.find(providerKey), atMs }));
    return this.#seen;
  }

  #handOut({ calls, fromMs, ...lease }: FleetLease, leasedAtMs: number): void {
    for (const [place, answer] of this.#asking.splice(0, calls).entries()) {
      answer({ ...lease, leasedAtMs, atMs: fromMs + place * lease.stepMs });
    }
  }

  async #wait(atMs: number, { signal, waitLeftMs, onWaiting }: Patience): Promise<void> {
    signal.throwIfAborted();
    const waitMs = Math.ceil(atMs - this.#nowMs());
    if (waitMs <= 0) return;
    if (waitMs > waitLeftMs()) throw tooLate(this.#input.providerKey, waitMs);
    onWaiting(true);
    try {
      await this.#input.clock.sleep(waitMs, signal);
    } finally {
      onWaiting(false);
    }
  }

  async #holds({ episode, leasedAtMs }: FleetTurn): Promise<boolean> {
    if (this.#nowMs() - leasedAtMs <= FRESH_MS) return true;
    const now = await this.#reach(async () => ({
      limit: await this.#input.limits.find(this.#input.providerKey),
    }));
    if (now === null) return true;
    const holds = (now.limit?.episode ?? 0) === episode;
    if (!holds) this.#seen = null;
    return holds;
  }

  /** Null when there is no answer, or was none a short while ago. */
  async #reach<T>(ask: () => Promise<T>): Promise<T | null> {
    if (this.#nowMs() < this.#awayUntilMs) return null;
    const answered = new AbortController();
    const tooLong = this.#input.clock.sleep(LONGEST_ASK_MS, answered.signal).then(() => {
      throw new Error("no answer in time");
    });
    try {
      return await Promise.race([ask(), tooLong]);
    } catch {
      this.#awayUntilMs = this.#nowMs() + LEFT_ALONE_MS;
      return null;
    } finally {
      answered.abort();
    }
  }

  #nowMs(): number {
    return this.#input.clock.now().getTime();
  }
}

const tooLate = (providerKey: string, waitMs: number): ProviderError =>
  new ProviderError(
    "rate_limited",
    `all runs together call ${providerKey} as often as it currently accepts; gave up, because this call's turn in ${Math.ceil(waitMs / 1_000)} s exceeds limits.maxWaitSeconds; raise it or lower concurrency`,
    { retryable: false },
  );
