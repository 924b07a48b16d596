import type { FleetLimit, FleetRefusal } from "./fleet-limit.ts";

/** For how long after its lease a turn may be used without asking whether it still holds. */
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
