import { formatP, formatPoints, formatShare } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { compareEvaluations, type ModelAgainst } from "../../statistics/compare.ts";
import { COUNTED, type Outcomes } from "../../statistics/outcomes.ts";
import type { Source } from "../compare/read-source.ts";
import { EXIT } from "../errors.ts";
import type { Host } from "../host.ts";
import { fewProblems, nameOf } from "../pages/comparison.ts";
import { nothingScored } from "../pages/summary.ts";
import { printLines, printWhole } from "../screen.ts";
import type { Line } from "../text/line.ts";
import type { JobOutcome, Session } from "./run-job.ts";

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

interface Judging {
  readonly host: Host;
  readonly flags: {
    readonly quiet: boolean;
    readonly json: boolean;
    readonly "min-accuracy"?: number | undefined;
  };
}

/** The exit code that an evaluation earns which ran to its end; without any scored run something broke. */
export function judgeStats({ host, flags }: Judging, stats: Readonly<Record<ModelKey, ModelStats>>): number {
  const unscored = nothingScored(stats, Number.POSITIVE_INFINITY);
  // A summary says it by itself.
  if (flags.quiet || flags.json) printWhole(host.stderr, unscored);
  const missed = missedThreshold(stats, flags["min-accuracy"]);
  printLines(host.stderr, missed);
  if (unscored.length > 0) return EXIT.broke;
  return missed.length > 0 ? EXIT.threshold : EXIT.done;
}

/** The models that are not good enough; an accuracy that is unknown does not meet any threshold. */
export function missedThreshold(
  stats: Readonly<Record<ModelKey, ModelStats>>,
  minAccuracy: number | undefined,
): Line[] {
  if (minAccuracy === undefined) return [];
  return (Object.entries(stats) as [ModelKey, ModelStats][])
    .filter(([, { accuracy }]) => accuracy === null || accuracy < minAccuracy)
    .map(
      ([key, { accuracy }]): Line => [
        ["✗ ", "red"],
        [`${key}: accuracy ${accuracy === null ? "unknown" : formatShare(accuracy)}`],
        [` is under --min-accuracy ${minAccuracy}`],
      ],
    );
}
