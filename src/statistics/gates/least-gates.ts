import { formatShare, plural } from "../../domain/format.ts";
import { type Estimate, formatInterval } from "../../domain/stats/estimate.ts";
import { COUNTED, type ProblemCounts, type ProblemScore } from "../outcomes.ts";
import { clusteredShare, sumClusters, wilsonInterval } from "../shares.ts";
import {
  countNeeded,
  evidence,
  type GateOutcome,
  type GateResult,
  type GateSubject,
  neededWords,
  withoutEvidence,
} from "./decision.ts";

/** Judges the accuracy over these problems. */
export function shareGate(
  subject: GateSubject,
  what: string,
  problems: readonly ProblemCounts[],
): GateResult {
  const counted = problems.map(COUNTED.accuracy).filter(({ size }) => size > 0);
  return judgeLeast(subject, {
    estimate: clusteredShare(sumClusters(counted)),
    each: counted.map(({ hits, size }) => hits / size),
    isShare: true,
    what,
    format: formatShare,
  });
}

/** Judges the mean of a number that the checker gave. */
export function metricGate(
  subject: GateSubject,
  scores: readonly ProblemScore[],
  estimate: Estimate | null,
): GateResult {
  const each = scores.map(({ micros, runs }) => micros / runs / 1e6);
  const [first] = each;
  // Equal numbers outside 0 to 1 have a mean without an interval.
  const equal = first === undefined ? null : { value: first, low: first, high: first };
  return judgeLeast(subject, {
    estimate: estimate ?? equal,
    each,
    isShare: false,
    what: `mean ${subject.name}`,
    format: (value) => String(Number(value.toPrecision(4))),
  });
}

interface Measured {
  readonly estimate: Estimate | null;
  /** The mean of every problem. */
  readonly each: readonly number[];
  readonly isShare: boolean;
  readonly what: string;
  readonly format: (value: number) => string;
}

function judgeLeast(subject: GateSubject, { estimate, each, isShare, what, format }: Measured): GateResult {
  const { limit } = subject;
  if (estimate === null)
    return withoutEvidence(
      subject,
      `${what} is unknown, as no run has one; it must be at least ${format(limit)}`,
    );
  const outcome = decideLeast(estimate, limit, each);
  const count = each.length;
  const needed = outcome === "undecided" ? countNeeded({ estimate, limit, count, isShare }) : null;
  const interval = isShare ? formatInterval(estimate) : `${format(estimate.low)} to ${format(estimate.high)}`;
  const says = {
    passed: `is at least ${format(limit)}`,
    failed: `is under ${format(limit)}`,
    undecided: `reaches ${format(limit)}, maybe by chance${neededWords(needed, "problem")}`,
  };
  return {
    ...subject,
    outcome,
    measured: estimate,
    needed: needed === null ? null : { problems: needed },
    says: `${what} ${format(estimate.value)} ${evidence(interval, count)} ${says[outcome]}`,
  };
}

function decideLeast({ value, low }: Estimate, limit: number, each: readonly number[]): GateOutcome {
  if (value < limit) return "failed";
  return low >= limit || each.every((mean) => mean >= limit) ? "passed" : "undecided";
}

const MOST_NAMED = 3;

/** Judges the share of correct trials of each problem by itself: the worst problem decides. */
export function rateGate(
  subject: GateSubject,
  problems: readonly (readonly [id: string, ProblemCounts])[],
): GateResult {
  const { limit } = subject;
  const judged = problems.flatMap(([id, counts]) => judgeRate(id, counts, limit));
  const rate = formatShare(limit);
  if (judged.length === 0)
    return withoutEvidence(subject, `no run counts; of every problem ${rate} of the trials must be correct`);
  const has = (outcome: GateOutcome): boolean => judged.some((each) => each.outcome === outcome);
  const outcome = (["failed", "undecided"] as const).find(has) ?? "passed";
  const worst = judged
    .filter((each) => each.outcome === outcome)
    .sort((a, b) => a.estimate.value - b.estimate.value);
  const needed = outcome === "undecided" ? trialsNeeded(worst, limit) : null;
  const names = worst.slice(0, MOST_NAMED).map(({ id, hits, trials }) => `${id} ${hits} of ${trials}`);
  const more = worst.length > MOST_NAMED ? `, and ${worst.length - MOST_NAMED} more` : "";
  const which = `${plural(worst.length, "problem")} (${names.join(", ")}${more})`;
  const says = {
    passed: `at least ${rate} of the trials of every problem are correct`,
    failed: `${which} with less than ${rate} of correct trials`,
    undecided: `${which} with at least ${rate} of correct trials, maybe by chance${neededWords(needed, "trial")}`,
  };
  return {
    ...subject,
    outcome,
    measured: worst[0]?.estimate ?? null,
    needed: needed === null ? null : { trials: needed },
    says: says[outcome],
  };
}

interface JudgedRate {
  readonly id: string;
  readonly hits: number;
  readonly trials: number;
  readonly estimate: Estimate;
  readonly outcome: GateOutcome;
}

function judgeRate(id: string, counts: ProblemCounts, limit: number): JudgedRate[] {
  const { hits, size: trials } = COUNTED.accuracy(counts);
  if (trials === 0) return [];
  const value = hits / trials;
  const estimate = { value, ...wilsonInterval(value, trials) };
  return [{ id, hits, trials, estimate, outcome: decideLeast(estimate, limit, [value === 1 ? 1 : -1]) }];
}

function trialsNeeded(problems: readonly JudgedRate[], limit: number): number | null {
  const each = problems.map(({ estimate, trials }) =>
    countNeeded({ estimate, limit, count: trials, isShare: true }),
  );
  return each.reduce((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0);
}
