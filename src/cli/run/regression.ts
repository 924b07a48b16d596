import { formatP, formatPoints } from "../../domain/show/format-interval.ts";
import { compareEvaluations, type ModelAgainst } from "../../domain/statistics/compare-evaluations.ts";
import type { Outcomes } from "../../domain/statistics/outcomes.ts";
import { COUNTED } from "../../domain/statistics/problem-counts.ts";
import type { Source } from "../compare/read-source.ts";
import { EXIT } from "../exit-code.ts";
import type { Host } from "../host.ts";
import { nameOf } from "../report/against-lines.ts";
import { fewProblems } from "../report/few-problems.ts";
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
export function judgeRegression(session: Session, outcome: JobOutcome, against: Against | null): number {
  if (against === null) return EXIT.done;
  const { host, flags } = session;
  const { baseline, comparisons } = against;
  if (comparisons.every(({ pairedProblems }) => pairedProblems === 0)) {
    warn(host, `Nothing was compared: ${whyNothing(outcome, session.baseline, baseline)}.`);
    return flags["fail-on-regression"] ? EXIT.broke : EXIT.done;
  }
  if (!flags["fail-on-regression"]) return EXIT.done;
  const few = fewProblems(comparisons);
  if (few !== null) warn(host, `${few.says}; give it at least ${few.least}, or add --min-accuracy.`);
  const worse = comparisons.filter(({ verdict }) => verdict === "worse");
  printLines(
    host.stderr,
    worse.map((each) => regressionLine(each, baseline)),
  );
  return worse.length > 0 ? EXIT.threshold : EXIT.done;
}

const warn = (host: Host, message: string): void => printLines(host.stderr, [[["! ", "yellow"], [message]]]);

/** Where no run has a verdict, neither the models nor the problems are to blame. */
function whyNothing({ outcomes }: JobOutcome, source: Source | null, baseline: string): string {
  if (!hasVerdicts(outcomes)) return "no run of this evaluation has a verdict";
  if (source !== null && !hasVerdicts(source.outcomes)) return `no run of ${baseline} has a verdict`;
  return `${baseline} has none of these models and problems`;
}

function hasVerdicts({ models }: Outcomes): boolean {
  for (const problems of models.values())
    for (const [, counts] of problems) if (COUNTED.accuracy(counts).size > 0) return true;
  return false;
}

const regressionLine = (comparison: ModelAgainst, baseline: string): Line => [
  ["✗ ", "red"],
  [`${nameOf(comparison)}: worse than in ${baseline} by ${points(comparison)} points`],
  [` (p ${formatP(comparison.adjustedP)})`],
];

const points = ({ difference }: ModelAgainst): string => formatPoints(Math.abs(difference ?? 0)).slice(1);
