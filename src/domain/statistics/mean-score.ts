import { bcaInterval } from "./bca-interval.ts";
import type { Estimate } from "./interval.ts";
import type { ProblemScore } from "./model-tallies.ts";
import { seededBits } from "./seeded-bits.ts";
import { tQuantile } from "./student-t.ts";

/** Beyond so many problems the mean is as good as normal, and drawing them again would only cost time. */
const MOST_DRAWN = 2_000;
const SEED = 95;

/** The mean score of all runs that have one; problems are drawn, because runs of one problem are alike. */
export function meanScore(scores: Iterable<ProblemScore>): Estimate | null {
  // Sorted, so that the order in which problems came does not decide which ones are drawn.
  const problems = [...scores].sort((a, b) => a.micros - b.micros || a.runs - b.runs);
  if (problems.length === 0) return null;
  const value = mean(problems);
  if (problems.length === 1) return { value, low: value, high: value };
  if (problems.length > MOST_DRAWN) return byStudent(problems, value);
  return { value, ...bcaInterval({ items: problems, statistic: mean, bits: seededBits(SEED) }) };
}

function mean(problems: readonly ProblemScore[]): number {
  let [micros, runs] = [0, 0];
  for (const problem of problems) {
    micros += problem.micros;
    runs += problem.runs;
  }
  return micros / runs / 1e6;
}

function byStudent(problems: readonly ProblemScore[], value: number): Estimate {
  const count = problems.length;
  const runs = problems.reduce((sum, problem) => sum + problem.runs, 0);
  const squares = problems.reduce((sum, { micros, runs }) => sum + (micros / 1e6 - value * runs) ** 2, 0);
  const half = tQuantile(0.975, count - 1) * (Math.sqrt((count / (count - 1)) * squares) / runs);
  return { value, low: value - half, high: value + half };
}
