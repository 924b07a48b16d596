import { definedFields } from "../../domain/json.ts";
import type { Gates } from "../../domain/stats/gates.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import type { GateResult } from "../../statistics/gates/decision.ts";
import { judgeGates } from "../../statistics/gates/gates.ts";
import { COUNTED, type Outcomes } from "../../statistics/outcomes.ts";
import { EXIT } from "../exit.ts";
import type { CliHost } from "../host.ts";
import { tooFewToDrop } from "../pages/comparison.ts";
import { failureLines } from "../pages/failures.ts";
import { openGateLines } from "../pages/gates.ts";
import { hasSilentProvider } from "../pages/next-steps.ts";
import { nothingScored } from "../pages/summary.ts";
import { printLines, printWhole } from "../text/screen.ts";
import type { EndedEvaluation, FinishedEvaluation } from "./fold-entries.ts";
import type { ComparedSource } from "./read-source.ts";

/** One call of a command that judges evaluations, with the conditions that the user set for the exit code. */
export interface GateSession {
  readonly host: CliHost;
  readonly flags: {
    readonly quiet: boolean;
    readonly json: boolean;
    readonly "min-accuracy"?: number | undefined;
    readonly "max-drop"?: number | undefined;
    readonly "fail-on-regression"?: boolean;
    readonly "allow-undecided": boolean;
  };
  readonly baseline?: ComparedSource | null;
}

/** Decides the gates of the definition and of the flags, which win; none before all runs have ended. */
export function decideGates(session: GateSession, ended: EndedEvaluation): GateResult[] {
  const { record, report, outcomes } = ended;
  if (record.status !== "finished") return [];
  const { baseline } = session;
  const compared =
    ended.against === null || !baseline || whyNothing(session, ended) !== null
      ? null
      : { ...ended.against, outcomes: baseline.outcomes };
  return judgeGates(gatesOf(session, ended), { report, outcomes, against: compared });
}

const gatesOf = ({ flags }: GateSession, { record }: EndedEvaluation): Gates => ({
  ...record.gates,
  ...definedFields({ accuracy: flags["min-accuracy"], maxDrop: flags["max-drop"] }),
  ...(flags["fail-on-regression"] ? { regression: true } : {}),
});

const asksForDrops = ({ maxDrop, regression }: Gates): boolean =>
  maxDrop !== undefined || regression === true;

/** Returns the exit code that an evaluation earned; a gate that compares nothing must not stay open. */
export function exitCodeOf(session: GateSession, finished: FinishedEvaluation): number {
  const { record, stats, gates } = finished;
  if (record.status === "broken") return EXIT.broke;
  if (record.status !== "finished") {
    const isOverBudget = Object.values<ModelStats>(stats).some(
      ({ failuresByCause }) => failuresByCause.budget,
    );
    if (record.status === "cancelled" && hasSilentProvider(stats)) return EXIT.broke;
    return isOverBudget ? EXIT.budget : EXIT.done;
  }
  const isUncompared = whyNothing(session, finished) !== null && asksForDrops(gatesOf(session, finished));
  if (isUncompared || nothingScored(stats, Number.POSITIVE_INFINITY).length > 0) return EXIT.broke;
  if (gates.some(({ outcome }) => outcome === "failed")) return EXIT.threshold;
  const isUndecided = gates.some(({ outcome }) => outcome === "undecided");
  return isUndecided && !session.flags["allow-undecided"] ? EXIT.undecided : EXIT.done;
}

/** Prints what the exit code rests on, as far as the summary has not said it. */
export function warnOfGates(session: GateSession, finished: FinishedEvaluation): void {
  const { record, stats, failures, against, gates } = finished;
  if (record.status !== "finished") return;
  const { host, flags } = session;
  if (flags.quiet || flags.json) {
    const unscored = nothingScored(stats, Number.POSITIVE_INFINITY);
    if (unscored.length > 0)
      printWhole(host.stderr, [...unscored, ...failureLines(failures.groups(), Number.POSITIVE_INFINITY)]);
    printLines(host.stderr, openGateLines(gates));
  }
  const asked = gatesOf(session, finished);
  if (against === null) {
    if (asksForDrops(asked)) warn(host, "Gates on a drop were not judged; give them a --baseline.");
    return;
  }
  const why = whyNothing(session, finished);
  if (why !== null) return warn(host, `Nothing was compared: ${why}.`);
  const few = asked.regression === true ? tooFewToDrop(against.comparisons) : null;
  if (few !== null) warn(host, `${few.says}; give it at least ${few.least}, or add --min-accuracy.`);
}

const warn = (host: CliHost, message: string): void =>
  printLines(host.stderr, [[["! ", "yellow"], [message]]]);

/** Explains why nothing was compared; where no run has a verdict, neither models nor problems are to blame. */
function whyNothing({ baseline }: GateSession, { against, outcomes }: EndedEvaluation): string | null {
  if (against === null) return null;
  if (baseline?.isRunning) return `${against.baseline} has not ended; resume it, or compare with another`;
  if (against.comparisons.some(({ pairedProblems }) => pairedProblems > 0)) return null;
  if (!hasVerdicts(outcomes)) return "no run of this evaluation has a verdict";
  if (baseline && !hasVerdicts(baseline.outcomes)) return `no run of ${against.baseline} has a verdict`;
  return `${against.baseline} has none of these models and problems`;
}

function hasVerdicts({ models }: Outcomes): boolean {
  for (const problems of models.values())
    for (const [, counts] of problems) if (COUNTED.accuracy(counts).size > 0) return true;
  return false;
}
