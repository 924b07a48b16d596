import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../domain/clock.ts";
import type { Digest } from "../domain/ids.ts";

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => (ms <= 0 ? Promise.resolve() : sleep(ms, undefined, signal ? { signal } : {})),
};

export const sha256: Digest = (text) => hash("sha256", text, "hex");
