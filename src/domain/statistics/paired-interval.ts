import type { Interval } from "./interval.ts";
import { Z95 } from "./normal.ts";
import { type PairedDifferences, sumDifferences } from "./paired-differences.ts";
import { tQuantile } from "./student-t.ts";

/**
 * The 95% interval of a mean paired difference. One run per problem: Bonett and Price's, which adds a problem won
 * and a problem lost. Several: Student's t over the problems, unless these do not differ at all.
 */
export function pairedInterval(differences: PairedDifferences, isSingleRun: boolean): Interval {
  const { problems, mean, meanSquare } = sumDifferences(differences);
  const variance = meanSquare - mean * mean;
  if (isSingleRun || differences.size < 2) return adjustedInterval(problems, mean, meanSquare);
  const error = Math.sqrt(variance / (problems - 1));
  return within(mean, tQuantile(0.975, problems - 1) * error);
}

function adjustedInterval(problems: number, mean: number, meanSquare: number): Interval {
  const adjusted = problems + 2;
  const centre = (mean * problems) / adjusted;
  const square = (meanSquare * problems + 2) / adjusted;
  return within(centre, Z95 * Math.sqrt((square - centre * centre) / adjusted));
}

const within = (centre: number, half: number): Interval => ({
  low: Math.max(-1, centre - half),
  high: Math.min(1, centre + half),
});
