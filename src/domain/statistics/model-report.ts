import { type Cluster, sumClusters } from "./cluster-sums.ts";
import { clusteredShare } from "./clustered-share.ts";
import type { Estimate } from "./interval.ts";
import { meanScore } from "./mean-score.ts";
import type { ModelOutcomes } from "./model-outcomes.ts";
import type { ModelTallies } from "./model-tallies.ts";
import { type Pass, passesOf } from "./passes.ts";
import { COUNTED, type ProblemCounts } from "./problem-counts.ts";
import type { ProblemIndex } from "./problem-index.ts";

/** What one model's runs allow to say, and how surely. */
export interface ModelReport {
  /** Those with a run that counts for the accuracy. */
  readonly problems: number;
  readonly accuracy: Estimate | null;
  readonly accuracyOfScored: Estimate | null;
  readonly accuracyOfAll: Estimate | null;
  readonly meanScore: Estimate | null;
  /** For each k up to the most trials that a problem has; empty with one trial. */
  readonly passes: readonly Pass[];
  /** Neither always right nor always wrong, by id. */
  readonly flaky: readonly FlakyProblem[];
  readonly slices: readonly Slice[];
}

export interface FlakyProblem {
  readonly problemId: string;
  readonly correct: number;
  readonly runs: number;
}

/** The accuracy on the problems with a tag. */
export interface Slice {
  readonly tag: string;
  readonly problems: number;
  readonly accuracy: Estimate;
}

export function modelReport(tallies: ModelTallies, problems: ProblemIndex): ModelReport {
  return {
    problems: clustersOf(tallies, "accuracy").clusters,
    accuracy: clusteredShare(clustersOf(tallies, "accuracy")),
    accuracyOfScored: clusteredShare(clustersOf(tallies, "accuracyOfScored")),
    accuracyOfAll: clusteredShare(clustersOf(tallies, "accuracyOfAll")),
    meanScore: meanScore(tallies.scores()),
    passes: passesOf(tallies),
    flaky: flakyProblems(tallies),
    slices: slicesOf(tallies, problems.tags()),
  };
}

const clustersOf = (outcomes: ModelOutcomes, way: keyof typeof COUNTED) =>
  sumClusters(countedBy(outcomes, COUNTED[way]));

function* countedBy(outcomes: ModelOutcomes, count: (counts: ProblemCounts) => Cluster): Generator<Cluster> {
  for (const [, counts] of outcomes) yield count(counts);
}

function flakyProblems(outcomes: ModelOutcomes): FlakyProblem[] {
  const flaky: FlakyProblem[] = [];
  for (const [problemId, counts] of outcomes) {
    const { hits, size } = COUNTED.accuracy(counts);
    if (hits > 0 && hits < size) flaky.push({ problemId, correct: hits, runs: size });
  }
  return flaky.sort((a, b) => (a.problemId < b.problemId ? -1 : 1));
}

/** A problem with several tags is in the slice of each. */
function slicesOf(outcomes: ModelOutcomes, tags: ReadonlyMap<string, readonly string[]>): Slice[] {
  return [...tags].flatMap(([tag, ids]) => {
    const counts = ids.flatMap((id): ProblemCounts[] => {
      const known = outcomes.get(id);
      return known === undefined ? [] : [known];
    });
    const sums = sumClusters(counts.map(COUNTED.accuracy));
    const accuracy = clusteredShare(sums);
    return accuracy === null ? [] : [{ tag, problems: sums.clusters, accuracy }];
  });
}
