import * as z from "zod";

/** Time after its lease for which a turn may be used without asking whether it still holds. */
export const FRESH_MS = 250;
/** A rate that is refused so soon after a cut is far too high. */
const SOON_MS = 1_000;
const SOON_CUT_TO = 0.9;
/** Shorter waits are made good by the cut itself; only the call that was refused waits for them. */
const SHORT_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;
const SLOWEST_CALLS_PER_SECOND = 1 / 60;

/** The limit after a refusal; null for one of an earlier episode, which was answered by that episode's cut. */
export function cutFleetLimit(limit: FleetLimit, refusal: FleetRefusal, nowMs: number): FleetLimit | null {
  if (refusal.episode !== limit.episode) return null;
  const pauseMs = pauseOf(refusal);
  const sinceMs = nowMs + pauseMs;
  return {
    episode: limit.episode + 1,
    sinceMs,
    ceiling: Math.max(SLOWEST_CALLS_PER_SECOND, ceilingAfter(limit, refusal, nowMs, pauseMs)),
    busyMs: 0,
    calls: 0,
    // Fresh turns are still used, and the new ones follow them.
    nextMs: pauseMs > 0 ? sinceMs : Math.min(Math.max(limit.nextMs, nowMs), nowMs + FRESH_MS),
  };
}

const pauseOf = ({ waitMs }: FleetRefusal): number =>
  waitMs === null || waitMs < SHORT_WAIT_MS ? 0 : Math.min(waitMs, LONGEST_WAIT_MS);

/** What was refused is the rate of the call's own turn: the limit has grown on since, over turns still to come. */
function ceilingAfter(limit: FleetLimit, refusal: FleetRefusal, nowMs: number, pauseMs: number): number {
  const refused = 1_000 / refusal.stepMs;
  // A provider that closes for a while takes what it was asked since it opened, over all the time until it opens again.
  if (pauseMs > 0) {
    const openMs = Math.max(0, nowMs - limit.sinceMs);
    return Math.min(refused, (limit.calls * 1_000) / (openMs + pauseMs));
  }
  const isSoon = limit.ceiling !== null && nowMs - limit.sinceMs < SOON_MS;
  return refused * (isSoon ? SOON_CUT_TO : 1);
}

/** A provider nobody has refused yet is asked at this rate first, and at twice the rate every busy second. */
const FIRST_CALLS_PER_SECOND = 10;
const DOUBLING_MS = 1_000;
/** Told by calls, because hundreds may have been given their turns at a price that was old by then. */
const GROWTH_PER_CALL = (Math.LN2 * 1_000) / DOUBLING_MS;
/** How fast a rate grows that has left what was once refused behind: that refusal did not come from the provider's limit. */
const DOUBLING_AGAIN_MS = 4_000;
/** Part of a rate that is left after a refusal. */
export const CUT_TO = 0.9;
/** Busy time until a cut rate is back at its ceiling: never shorter, and never so short that asking for more costs over a call in so many. */
const RECOVERY_MS = 8_000;
const RECOVERY_CALLS = 250;
/** A turn that is used so much later comes together with those after it. */
export const LATE_MS = 250;
/** No lease is longer, so that a large gateway does not take the whole queue at once. */
const LONGEST_LEASE_MS = 1_000;

/**
 * Rate at which all gateways together may call a provider, and the time up to which turns are given away. Between two
 * cuts the rate is a function of the time that was given away (`busyMs`), before the first of the calls: it grows only by being
 * used, and without a write of its own.
 */
export const FleetLimit = z.object({
  /** Counts the cuts; the turns of an earlier episode are void. */
  episode: z.int().nonnegative(),
  sinceMs: z.number(),
  /** Calls per second that were refused last; null until the first refusal. */
  ceiling: z.number().positive().nullable(),
  busyMs: z.number().nonnegative(),
  /** Turns of this episode. */
  calls: z.int().nonnegative(),
  /** When the next turn is, in ms of the wall clock. */
  nextMs: z.number(),
});
export type FleetLimit = z.infer<typeof FleetLimit>;

/** So many turns, the first at `fromMs` and each `stepMs` after the other. */
export interface FleetLease {
  readonly episode: number;
  readonly fromMs: number;
  readonly stepMs: number;
  readonly calls: number;
}

/** A call that a provider refused for its rate, and the turn with which it was sent. */
export interface FleetRefusal extends Pick<FleetLease, "episode" | "stepMs"> {
  /** What the provider asked for; null when it did not say. */
  readonly waitMs: number | null;
}

/** Store in which gateways share what they know of a provider; every call is one atomic step. */
export interface FleetLimits {
  /** At least one turn, and at most so many. */
  lease(providerKey: string, calls: number, nowMs: number): Promise<FleetLease>;
  /** The limit as it is, or was a moment ago; null where nobody has asked for a turn. */
  find(providerKey: string): Promise<FleetLimit | null>;
  /** Cuts the rate once per episode, however many calls of it were refused. */
  cut(providerKey: string, refusal: FleetRefusal, nowMs: number): Promise<void>;
}

/** Where the limits of providers are kept. */
interface LimitPlace {
  find(providerKey: string): FleetLimit | null;
  save(providerKey: string, limit: FleetLimit): void;
  /** Nobody else finds or saves meanwhile. */
  together<T>(work: () => T): T;
}

/** Limits that are changed where they are kept, one step after the other. */
export const fleetLimitsIn = ({ find, save, together }: LimitPlace): FleetLimits => ({
  lease: async (providerKey, calls, nowMs) =>
    together(() => {
      const { limit, lease } = leaseTurns(find(providerKey) ?? newFleetLimit(nowMs), calls, nowMs);
      save(providerKey, limit);
      return lease;
    }),
  find: async (providerKey) => find(providerKey),
  cut: async (providerKey, refusal, nowMs) =>
    together(() => {
      const known = find(providerKey);
      const cut = known && cutFleetLimit(known, refusal, nowMs);
      if (cut) save(providerKey, cut);
    }),
});

export const newFleetLimit = (nowMs: number): FleetLimit => ({
  episode: 0,
  sinceMs: nowMs,
  ceiling: null,
  busyMs: 0,
  calls: 0,
  nextMs: nowMs,
});

/** Quickly back towards what was refused last, flat around it, and, once that is clearly behind, a search again. */
export function callsPerSecond({ ceiling, busyMs, calls }: FleetLimit): number {
  if (ceiling === null) return FIRST_CALLS_PER_SECOND + calls * GROWTH_PER_CALL;
  const longMs = recoveryMs(ceiling);
  const behindMs = Math.max(0, busyMs - 2 * longMs);
  const around = 1 + (1 - CUT_TO) * ((busyMs - behindMs) / longMs - 1) ** 3;
  return ceiling * around * 2 ** (behindMs / DOUBLING_AGAIN_MS);
}

const recoveryMs = (ceiling: number): number => Math.max(RECOVERY_MS, (RECOVERY_CALLS * 1_000) / ceiling);

/** For how long a search may take turns by their number. */
const SEARCH_MS = 10_000;

/**
 * The turns of a lease that many took at once, before any knew of the others: in a search that has just begun the
 * number of a call alone says when its turn is, and it need not wait behind all that were given away at the first price.
 */
export function searchTurns(after: FleetLimit, lease: FleetLease, nowMs: number): FleetLease {
  if (after.ceiling !== null || nowMs - after.sinceMs > SEARCH_MS) return lease;
  const calls = after.calls - lease.calls;
  const rate = callsPerSecond({ ...after, calls });
  const dueMs = after.sinceMs + DOUBLING_MS * Math.log2(rate / FIRST_CALLS_PER_SECOND);
  const fromMs = Math.min(lease.fromMs, Math.max(nowMs, dueMs));
  return { ...lease, fromMs, stepMs: Math.min(lease.stepMs, 1_000 / rate) };
}

/** How many calls one lease stands for, where nobody was refused for a while: so many turns, or those of so long. */
const LEAST_IN_BLOCK = 10;
const MOST_IN_BLOCK = 50;
const BLOCK_MS = 200;
/** The same where turns have to be kept to: of a large provider only. */
const EXACT_BLOCK_MS = 2;

const queueMs = ({ nextMs }: FleetLimit, nowMs: number): number => Math.max(0, nextMs - nowMs);

/**
 * Computes how many calls a gateway sends for each lease, so that all of them can share the one item that they write.
 * While a rate is searched for, and where calls queue, it is one, unless the provider takes hundreds of calls a second.
 */
export function callsPerLease(limit: FleetLimit, nowMs: number): number {
  const exact = Math.floor((callsPerSecond(limit) * EXACT_BLOCK_MS) / 1_000);
  const calls = hasTurnsToSpare(limit, nowMs) ? Math.max(exact, looseBlock(limit)) : exact;
  return Math.max(1, Math.min(MOST_IN_BLOCK, calls));
}

const looseBlock = (limit: FleetLimit): number =>
  Math.max(LEAST_IN_BLOCK, Math.floor((callsPerSecond(limit) * BLOCK_MS) / 1_000));

/** Whether calls need not keep to their turns: the last refusal is long ago by what was asked since, and nobody queues. */
function hasTurnsToSpare(limit: FleetLimit, nowMs: number): boolean {
  const { ceiling, sinceMs, busyMs } = limit;
  const isSettled = ceiling === null ? nowMs - sinceMs > SEARCH_MS : busyMs > 2 * recoveryMs(ceiling);
  return isSettled && queueMs(limit, nowMs) <= (2 * looseBlock(limit) * 1_000) / callsPerSecond(limit);
}

/** The turn of a call that goes by what was seen of a limit, and leases none: at the end of the queue, if there is one. */
export function turnBySight(limit: FleetLimit, seenAtMs: number, nowMs: number): FleetLease {
  const waitMs = hasTurnsToSpare(limit, seenAtMs) ? 0 : queueMs(limit, seenAtMs);
  return { episode: limit.episode, fromMs: nowMs + waitMs, stepMs: 1_000 / callsPerSecond(limit), calls: 1 };
}

/** Turns follow one another; those that nobody took in time are gone. */
export function leaseTurns(
  limit: FleetLimit,
  wanted: number,
  nowMs: number,
): { limit: FleetLimit; lease: FleetLease } {
  const stepMs = 1_000 / callsPerSecond(limit);
  const calls = Math.max(1, Math.min(wanted, Math.floor(LONGEST_LEASE_MS / stepMs)));
  const fromMs = Math.max(limit.nextMs, nowMs);
  const tookMs = calls * stepMs;
  const { busyMs, episode } = limit;
  return {
    limit: { ...limit, busyMs: busyMs + tookMs, calls: limit.calls + calls, nextMs: fromMs + tookMs },
    lease: { episode, fromMs, stepMs, calls },
  };
}
