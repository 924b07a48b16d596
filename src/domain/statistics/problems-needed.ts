import { normalQuantile } from "./normal.ts";
import type { DifferenceSums } from "./paired-differences.ts";

/** How often a difference that is there would be told. */
const POWER = 0.8;

/**
 * How many problems would tell a difference as large as the one seen, at this level and with 80% power, by Connor's
 * formula (1987) for paired samples; null when none was seen, because then no number would.
 */
export function problemsNeeded(
  { mean, meanSquare }: Omit<DifferenceSums, "problems">,
  level = 0.05,
): number | null {
  if (mean === 0 || Number.isNaN(mean)) return null;
  const underChance = normalQuantile(1 - level / 2) * Math.sqrt(meanSquare);
  const asSeen = normalQuantile(POWER) * Math.sqrt(Math.max(0, meanSquare - mean * mean));
  return Math.ceil(((underChance + asSeen) / mean) ** 2);
}
