import type { Interval } from "./interval.ts";
import { Z95 } from "./normal.ts";

/** Wilson's score interval of a share; `n` may be an effective number and `z` a quantile of another kind. */
export function wilsonInterval(share: number, n: number, z: number = Z95): Interval {
  const weight = (z * z) / n;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (z * Math.sqrt((share * (1 - share)) / n + weight / (4 * n))) / (1 + weight);
  // Rounding must not leave all or none outside of its own interval.
  return {
    low: share === 0 ? 0 : Math.max(0, centre - half),
    high: share === 1 ? 1 : Math.min(1, centre + half),
  };
}
