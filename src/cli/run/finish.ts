import { formatP, formatPoints, formatShare } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { COUNTED, type Outcomes } from "../../statistics/outcomes.ts";
import { compareEvaluations, isDrop, type ModelAgainst } from "../../statistics/report.ts";
import { EXIT, worseExit } from "../exit.ts";
import type { CliHost } from "../host.ts";
import type { Outputs } from "../output/outputs.ts";
import { type Against, againstLines, comparisonName, tooFewToDrop } from "../pages/comparison.ts";
import { wholeEntries, writeDocument } from "../pages/document.ts";
import { failureLines } from "../pages/failures.ts";
import { nextLines } from "../pages/next-steps.ts";
import { evaluationsTable, modelTable, statsColumnsOf, type TitledModels } from "../pages/stats-table.ts";
import { nothingScored, summaryLines } from "../pages/summary.ts";
import { commandFor, type ReaderFlags } from "../store.ts";
import { BLANK, type Line, printLines, printWhole, type Screen } from "../text/screen.ts";
import { layTable } from "../text/table.ts";
import type { FinishedEvaluation, FoldedEvaluation } from "./fold-entries.ts";
import type { ComparedSource } from "./read-source.ts";

/** One call of a command that finishes evaluations, with the conditions that the user set for the exit code. */
export interface FinishSession {
  readonly host: CliHost;
  readonly flags: ReaderFlags & {
    readonly quiet: boolean;
    readonly json: boolean;
    readonly "min-accuracy"?: number | undefined;
    readonly "fail-on-regression"?: boolean;
  };
  readonly baseline?: ComparedSource | null;
}

/** The places for the results beside the screen. */
export interface FinishDeps {
  readonly documents: DocumentWriter | null;
  readonly outputs?: Outputs | undefined;
  /** Gets the evaluation, for a table over all of them; null when it is the only one. */
  readonly all: TitledModels[] | null;
  /** About to run again, so its results are not printed. */
  readonly isReplaced?: boolean;
}

/** Shows and writes what an evaluation's runs led to, and returns the exit code that it earned. */
export async function finishEvaluation(
  session: FinishSession,
  finished: FinishedEvaluation,
  { documents, outputs, all, isReplaced = false }: FinishDeps,
): Promise<number> {
  if (documents !== null) await documents.write(finished);
  else if (!isReplaced && !(session.flags.quiet && all !== null)) printFinished(session, finished);
  const { record, stats, report } = finished;
  if (!isReplaced) all?.push({ name: record.name, stats, report });
  await outputs?.add(finished);
  return judgeEvaluation(session, finished);
}

function printFinished({ host, flags }: FinishSession, finished: FinishedEvaluation): void {
  const { stats, against } = finished;
  const width = host.stdout.columns;
  if (flags.quiet) {
    return printLines(
      host.stdout,
      layTable(modelTable(statsColumnsOf(Object.values(stats)), finished), width),
    );
  }
  printLines(host.stdout, [BLANK, ...summaryLines(finished, width)]);
  if (against !== null && against.comparisons.length > 0) {
    printLines(host.stdout, [BLANK, ...againstLines(against, width)]);
  }
  printWhole(host.stdout, nextLines(finished, commandFor(host, flags), width));
}

/** Prints one table over several evaluations, a row per model of each. */
export function printAll({ host, flags }: FinishSession, all: readonly TitledModels[] | null): void {
  if (all === null || all.length === 0 || flags.json) return;
  const title: Line[] = flags.quiet ? [] : [BLANK, [["All evaluations", "bold"]]];
  printLines(host.stdout, [...title, ...layTable(evaluationsTable(all), host.stdout.columns)]);
}

interface DocumentWriter {
  write(finished: FinishedEvaluation): Promise<void>;
  end(): void;
}

/** Writes one document per call: `{ evaluation, stats, report, logs }`, or `{ evaluations: […] }` when `count` is more than one. */
export function documentWriter(screen: Screen, count: number): DocumentWriter {
  const isList = count > 1;
  let written = 0;
  return {
    async write({ record, stats, report, against, reader }) {
      if (isList) screen.write(written === 0 ? '{"evaluations":[' : ",");
      written++;
      const logs = wholeEntries(reader, record.id);
      await writeDocument(screen, { evaluation: record, stats, report, against, logs });
    },
    end() {
      if (isList) screen.write(written === 0 ? '{"evaluations":[]}' : "]}");
      if (isList || written > 0) screen.write("\n");
    },
  };
}

/** Compares the models with those of the baseline of the same name. */
export function compareWithBaseline(
  { record, outcomes }: FoldedEvaluation,
  baseline: ComparedSource,
): Against {
  const candidate = { evaluation: record.id, model: null, outcomes };
  return { baseline: baseline.name, comparisons: compareEvaluations(candidate, baseline) };
}

/** Returns the exit code that an evaluation earned, and prints why it is not 0. */
function judgeEvaluation(session: FinishSession, finished: FinishedEvaluation): number {
  const { record, stats } = finished;
  if (record.status === "broken") return EXIT.broke;
  if (record.status === "finished") {
    return worseExit(judgeStats(session, finished), judgeRegression(session, finished));
  }
  const isOverBudget = Object.values<ModelStats>(stats).some(({ failuresByCause }) => failuresByCause.budget);
  return isOverBudget ? EXIT.budget : EXIT.done;
}

/** Only a drop that is more than chance, by a test of drops alone, is a regression; a gate that compares nothing must not stay open. */
function judgeRegression({ host, flags, baseline }: FinishSession, finished: FinishedEvaluation): number {
  const { against, outcomes } = finished;
  if (against === null) return EXIT.done;
  const { comparisons } = against;
  const why = baseline?.isRunning
    ? `${against.baseline} has not ended; resume it, or compare with another`
    : whyNothing(outcomes, baseline?.outcomes ?? outcomes, against.baseline);
  if (baseline?.isRunning || comparisons.every(({ pairedProblems }) => pairedProblems === 0)) {
    warn(host, `Nothing was compared: ${why}.`);
    return flags["fail-on-regression"] ? EXIT.broke : EXIT.done;
  }
  if (!flags["fail-on-regression"]) return EXIT.done;
  const few = tooFewToDrop(comparisons);
  if (few !== null) warn(host, `${few.says}; give it at least ${few.least}, or add --min-accuracy.`);
  const worse = comparisons.filter(isDrop);
  printLines(
    host.stderr,
    worse.map((each) => regressionLine(each, against.baseline)),
  );
  return worse.length > 0 ? EXIT.threshold : EXIT.done;
}

const warn = (host: CliHost, message: string): void =>
  printLines(host.stderr, [[["! ", "yellow"], [message]]]);

/** Explains why nothing was compared; where no run has a verdict, neither models nor problems are to blame. */
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
  [` (one-sided p ${formatP(comparison.dropP)})`],
];

const points = ({ difference }: ModelAgainst): string => formatPoints(Math.abs(difference ?? 0)).slice(1);

/** Without any scored run something broke. */
function judgeStats({ host, flags }: FinishSession, { stats, failures }: FinishedEvaluation): number {
  const unscored = nothingScored(stats, Number.POSITIVE_INFINITY);
  // A summary says it by itself.
  if (unscored.length > 0 && (flags.quiet || flags.json))
    printWhole(host.stderr, [...unscored, ...failureLines(failures.groups(), Number.POSITIVE_INFINITY)]);
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
