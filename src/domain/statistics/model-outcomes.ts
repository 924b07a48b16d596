import type { ProblemCounts } from "./problem-counts.ts";

/** What became of every problem with one model; a plain `Map` from problem ids is one. */
export interface ModelOutcomes extends Iterable<readonly [problemId: string, ProblemCounts]> {
  get(problemId: string): ProblemCounts | undefined;
}
