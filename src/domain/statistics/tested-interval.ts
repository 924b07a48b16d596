import { exactPairedInterval } from "./exact-paired-interval.ts";
import { flippedInterval } from "./flipped-interval.ts";
import type { Interval } from "./interval.ts";
import { LEVEL } from "./level.ts";
import { type PairedDifferences, sumDifferences } from "./paired-differences.ts";
import { pairedInterval } from "./paired-interval.ts";

export interface TestedDifferences {
  readonly differences: PairedDifferences;
  readonly isSingleRun: boolean;
  /** Of the test that belongs to them, by itself. */
  readonly pValue: number;
}

/** The interval of a difference beside its test: it leaves out 0 exactly where the test says that there is a difference. */
export function testedInterval({ differences, isSingleRun, pValue }: TestedDifferences): Interval {
  const interval = pairedInterval(differences, isSingleRun);
  const hasZero = interval.low <= 0 && interval.high >= 0;
  if (hasZero === pValue >= LEVEL) return interval;
  if (!isSingleRun) return flippedInterval(differences, interval);
  const [won, lost] = [differences.get(1) ?? 0, differences.get(-1) ?? 0];
  return exactPairedInterval({ won, lost, problems: sumDifferences(differences).problems });
}
