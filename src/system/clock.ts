import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../domain/clock.ts";

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => (ms <= 0 ? Promise.resolve() : sleep(ms, undefined, signal ? { signal } : {})),
};
