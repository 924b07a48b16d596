import { formatP, formatPoints } from "../../domain/show/format-interval.ts";
import { compareEvaluations, type ModelAgainst } from "../../domain/statistics/compare-evaluations.ts";
import type { Source } from "../compare/read-source.ts";
import { EXIT } from "../exit-code.ts";
import { nameOf } from "../report/against-lines.ts";
import { printLines } from "../screen.ts";
import type { Line } from "../text/line.ts";
import type { JobOutcome } from "./run-job.ts";
import type { Session } from "./session.ts";

/** A run's own models against those of the baseline. */
export interface Against {
  readonly baseline: string;
  readonly comparisons: readonly ModelAgainst[];
}

export function compareWithBaseline({ record, outcomes }: JobOutcome, baseline: Source): Against {
  const candidate = { name: record.id, model: null, outcomes };
  return { baseline: baseline.name, comparisons: compareEvaluations(candidate, baseline) };
}

/** Only a drop that is more than chance is a regression; a gate that compares nothing must not stay open. */
export function judgeRegression({ host, flags }: Session, against: Against | null): number {
  if (against === null) return EXIT.done;
  const { baseline, comparisons } = against;
  if (comparisons.every(({ pairedProblems }) => pairedProblems === 0)) {
    printLines(host.stderr, [
      [["! ", "yellow"], [`Nothing was compared: ${baseline} has none of these models and problems.`]],
    ]);
    return flags["fail-on-regression"] ? EXIT.broke : EXIT.done;
  }
  if (!flags["fail-on-regression"]) return EXIT.done;
  const worse = comparisons.filter(({ verdict }) => verdict === "worse");
  printLines(
    host.stderr,
    worse.map((each) => regressionLine(each, baseline)),
  );
  return worse.length > 0 ? EXIT.threshold : EXIT.done;
}

const regressionLine = (comparison: ModelAgainst, baseline: string): Line => [
  ["✗ ", "red"],
  [`${nameOf(comparison)}: worse than in ${baseline} by ${points(comparison)} points`],
  [` (p ${formatP(comparison.adjustedP)})`],
];

const points = ({ difference }: ModelAgainst): string => formatPoints(Math.abs(difference ?? 0)).slice(1);
