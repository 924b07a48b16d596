import { formatP, formatPoints, formatShare } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { compareEvaluations, type ModelAgainst } from "../../statistics/compare.ts";
import { COUNTED, type Outcomes } from "../../statistics/outcomes.ts";
import { EXIT, worseExit } from "../errors.ts";
import type { CliHost } from "../host.ts";
import { type Against, comparisonName, fewProblems } from "../pages/comparison.ts";
import { nothingScored } from "../pages/summary.ts";
import { printLines, printWhole } from "../screen.ts";
import type { Line } from "../text/line.ts";
import type { FinishedEvaluation, FoldedEvaluation } from "./fold-entries.ts";
import type { ComparedSource } from "./read-source.ts";

/** The conditions that the user set for an evaluation's exit code. */
export interface GateSession {
  readonly host: CliHost;
  readonly flags: {
    readonly quiet: boolean;
    readonly json: boolean;
    readonly "min-accuracy"?: number | undefined;
    readonly "fail-on-regression"?: boolean;
  };
  readonly baseline?: ComparedSource | null;
}

/** Compares the models with those of the baseline of the same name. */
export function compareWithBaseline(
  { record, outcomes }: FoldedEvaluation,
  baseline: ComparedSource,
): Against {
  const candidate = { name: record.id, model: null, outcomes };
  return { baseline: baseline.name, comparisons: compareEvaluations(candidate, baseline) };
}

/** Returns the exit code that an evaluation earned, and prints why it is not 0. */
export function judgeEvaluation(session: GateSession, finished: FinishedEvaluation): number {
  const { record, stats } = finished;
  if (record.status === "broken") return EXIT.broke;
  if (record.status === "finished") {
    return worseExit(judgeStats(session, stats), judgeRegression(session, finished));
  }
  const isOverBudget = Object.values<ModelStats>(stats).some(({ failuresByCause }) => failuresByCause.budget);
  return isOverBudget ? EXIT.budget : EXIT.done;
}

/** Only a drop that is more than chance is a regression; a gate that compares nothing must not stay open. */
function judgeRegression({ host, flags, baseline }: GateSession, finished: FinishedEvaluation): number {
  const { against, outcomes } = finished;
  if (against === null) return EXIT.done;
  const { comparisons } = against;
  if (comparisons.every(({ pairedProblems }) => pairedProblems === 0)) {
    const why = whyNothing(outcomes, baseline?.outcomes ?? outcomes, against.baseline);
    warn(host, `Nothing was compared: ${why}.`);
    return flags["fail-on-regression"] ? EXIT.broke : EXIT.done;
  }
  if (!flags["fail-on-regression"]) return EXIT.done;
  const few = fewProblems(comparisons);
  if (few !== null) warn(host, `${few.says}; give it at least ${few.least}, or add --min-accuracy.`);
  const worse = comparisons.filter(({ verdict }) => verdict === "worse");
  printLines(
    host.stderr,
    worse.map((each) => regressionLine(each, against.baseline)),
  );
  return worse.length > 0 ? EXIT.threshold : EXIT.done;
}

const warn = (host: CliHost, message: string): void =>
  printLines(host.stderr, [[["! ", "yellow"], [message]]]);

/** Where no run has a verdict, neither the models nor the problems are to blame. */
function whyNothing(own: Outcomes, other: Outcomes, baseline: string): string {
  if (!hasVerdicts(own)) return "no run of this evaluation has a verdict";
  if (!hasVerdicts(other)) return `no run of ${baseline} has a verdict`;
  return `${baseline} has none of these models and problems`;
}

function hasVerdicts({ models }: Outcomes): boolean {
  for (const problems of models.values())
    for (const [, counts] of problems) if (COUNTED.accuracy(counts).size > 0) return true;
  return false;
}

const regressionLine = (comparison: ModelAgainst, baseline: string): Line => [
  ["✗ ", "red"],
  [`${comparisonName(comparison)}: worse than in ${baseline} by ${points(comparison)} points`],
  [` (p ${formatP(comparison.adjustedP)})`],
];

const points = ({ difference }: ModelAgainst): string => formatPoints(Math.abs(difference ?? 0)).slice(1);

/** Without any scored run something broke. */
function judgeStats({ host, flags }: GateSession, stats: Readonly<Record<ModelKey, ModelStats>>): number {
  const unscored = nothingScored(stats, Number.POSITIVE_INFINITY);
  // A summary says it by itself.
  if (flags.quiet || flags.json) printWhole(host.stderr, unscored);
  const missed = missedThreshold(stats, flags["min-accuracy"]);
  printLines(host.stderr, missed);
  if (unscored.length > 0) return EXIT.broke;
  return missed.length > 0 ? EXIT.threshold : EXIT.done;
}

/** Names the models that are not good enough; an unknown accuracy does not meet any threshold. */
function missedThreshold(
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
