import { formatP, formatPoints, plural } from "../../domain/format.ts";
import type { Estimate } from "../../domain/stats/estimate.ts";
import type { ModelOutcomes } from "../outcomes.ts";
import { pairOutcomes } from "../paired-tests.ts";
import { isDrop, type ModelAgainst } from "../report.ts";
import {
  countNeeded,
  evidence,
  type GateOutcome,
  type GateResult,
  neededWords,
  withoutEvidence,
} from "./decision.ts";

interface Drop {
  readonly baseline: string;
  readonly comparison: ModelAgainst;
  readonly sides: readonly [now: ModelOutcomes, before: ModelOutcomes];
}

/** Judges by non-inferiority: passed when the whole interval of the difference is above the largest drop that is allowed. */
export function dropGate(maxDrop: number, { baseline, comparison, sides }: Drop): GateResult {
  const { model, pairedProblems: count } = comparison;
  const limit = -maxDrop / 100;
  const subject = { gate: "maxDrop", name: null, model, limit } as const;
  const estimate = estimateOf(comparison);
  if (estimate === null) return withoutEvidence(subject, nothingToCompare(baseline));
  const { pairs } = pairOutcomes(...sides);
  const hasDropped = pairs.some(([a, b]) => a.hits / a.size - b.hits / b.size < limit);
  const outcome = decideDrop(estimate, limit, hasDropped);
  const needed = outcome === "undecided" ? countNeeded({ estimate, limit, count, isShare: false }) : null;
  const allowed = `${plural(maxDrop, "point")} lower than in ${baseline}`;
  const says = {
    passed: `is at most ${allowed}`,
    failed: `is more than ${allowed}`,
    undecided: `may be more than ${allowed}${neededWords(needed, "problem")}`,
  };
  const interval = `${formatPoints(estimate.low)} to ${formatPoints(estimate.high)}`;
  return {
    ...subject,
    outcome,
    measured: estimate,
    needed: needed === null ? null : { problems: needed },
    says: `accuracy ${formatPoints(estimate.value)} points ${evidence(interval, count)} ${says[outcome]}`,
  };
}

function decideDrop({ low, high }: Estimate, limit: number, hasDropped: boolean): GateOutcome {
  if (low > limit || !hasDropped) return "passed";
  return high < limit ? "failed" : "undecided";
}

/** Fails only a drop that is more than chance, by a test of drops alone; one that may be chance is undecided. */
export function regressionGate({ baseline, comparison }: Drop): GateResult {
  const { model, dropP, pairedProblems, problemsNeeded } = comparison;
  const subject = { gate: "regression", name: null, model, limit: 0 } as const;
  const measured = estimateOf(comparison);
  if (measured === null) return withoutEvidence(subject, nothingToCompare(baseline));
  const decided = { ...subject, measured, needed: null };
  const points = formatPoints(Math.abs(measured.value)).replace("+", "");
  const p = `one-sided p ${formatP(dropP)}`;
  if (isDrop(comparison))
    return { ...decided, outcome: "failed", says: `worse than in ${baseline} by ${points} points (${p})` };
  if (measured.value >= 0) return { ...decided, outcome: "passed", says: `not worse than in ${baseline}` };
  const evidenceOfChance = `(${p}, ${plural(pairedProblems, "problem")})`;
  return {
    ...decided,
    outcome: "undecided",
    needed: problemsNeeded === null ? null : { problems: problemsNeeded },
    says: `${points} points lower than in ${baseline}, maybe by chance ${evidenceOfChance}${neededWords(problemsNeeded, "problem")}`,
  };
}

const estimateOf = ({ difference: value, interval }: ModelAgainst): Estimate | null =>
  value === null || interval === null ? null : { value, ...interval };

const nothingToCompare = (baseline: string): string =>
  `nothing to compare: no problem has a verdict both here and in ${baseline}`;
