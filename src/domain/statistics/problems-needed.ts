import { leastDiffering } from "./least-differing.ts";
import { normalQuantile } from "./normal.ts";
import type { DifferenceSums } from "./paired-differences.ts";

/** How often a difference that is there would be told. */
const POWER = 0.8;
/** A quotient that is whole on paper may be over by so much. */
const ROUNDING = 1e-9;

/**
 * How many problems would tell a difference as large as the one seen, at this level and with 80% power, by Connor's
 * formula (1987) for paired samples, and never fewer than the exact test takes; null when none was seen, because then
 * no number would.
 */
export function problemsNeeded(
  { mean, meanSquare, differing }: Omit<DifferenceSums, "problems">,
  level = 0.05,
): number | null {
  if (mean === 0 || Number.isNaN(mean)) return null;
  const underChance = normalQuantile(1 - level / 2) * Math.sqrt(meanSquare);
  const asSeen = normalQuantile(POWER) * Math.sqrt(Math.max(0, meanSquare - mean * mean));
  const byConnor = Math.ceil(((underChance + asSeen) / mean) ** 2);
  // The formula takes the test as normal, which says too little of a handful of problems.
  return Math.max(byConnor, Math.ceil(leastDiffering(level) / differing - ROUNDING));
}
