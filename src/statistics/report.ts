import type { ModelKey } from "../domain/model.ts";
import type { Estimate } from "../domain/stats/estimate.ts";
import type { ModelStats } from "../domain/stats/stats.ts";
import { type Comparison, compareAll } from "./compare.ts";
import {
  COUNTED,
  type ModelOutcomes,
  type ModelTallies,
  type Outcomes,
  type ProblemCounts,
  type ProblemIndex,
} from "./outcomes.ts";
import { type Pass, passesOf } from "./passes.ts";
import { estimateMeanScore } from "./scores.ts";
import { type Cluster, clusteredShare, sumClusters } from "./shares.ts";

/** Under so many problems intervals and tests are rough, and readers are told. */
export const FEW_PROBLEMS = 20;

/** The first model compared with the second. */
export interface ModelComparison extends Comparison {
  readonly first: ModelKey;
  readonly second: ModelKey;
}

/** What an evaluation allows to say about its models, and about any two of them. */
export interface EvaluationReport {
  readonly models: Readonly<Record<ModelKey, ModelReport>>;
  readonly comparisons: readonly ModelComparison[];
  readonly rankingDoubts: readonly RankingDoubt[];
  readonly isRough: boolean;
}

export function evaluationReport({
  models,
  problems,
}: Pick<Outcomes, "models" | "problems">): EvaluationReport {
  const reports = [...models].map(([key, tallies]) => [key, modelReport(tallies, problems)] as const);
  return {
    models: Object.fromEntries(reports) as Record<ModelKey, ModelReport>,
    comparisons: compareEachPair(models),
    rankingDoubts: rankingDoubts(models),
    isRough: reports.some(([, report]) => report.problems > 0 && report.problems < FEW_PROBLEMS),
  };
}

/** Every two models, in the order in which they were given. */
function compareEachPair(models: Outcomes["models"]): ModelComparison[] {
  const keys = [...models.keys()];
  const pairs = keys.flatMap((first, at) => keys.slice(at + 1).map((second) => ({ first, second })));
  const sides = pairs.flatMap(({ first, second }) => {
    const [a, b] = [models.get(first), models.get(second)];
    return a === undefined || b === undefined ? [] : [[a, b] as const];
  });
  return compareAll(sides).flatMap((comparison, at) => {
    const pair = pairs[at];
    return pair === undefined ? [] : [{ ...pair, ...comparison }];
  });
}

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

function modelReport(tallies: ModelTallies, problems: ProblemIndex): ModelReport {
  return {
    problems: clustersOf(tallies, "accuracy").clusters,
    accuracy: clusteredShare(clustersOf(tallies, "accuracy")),
    accuracyOfScored: clusteredShare(clustersOf(tallies, "accuracyOfScored")),
    accuracyOfAll: clusteredShare(clustersOf(tallies, "accuracyOfAll")),
    meanScore: estimateMeanScore(tallies.scores()),
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

/** Two models whose order could be another one, had no run been lost. */
export interface RankingDoubt {
  readonly ahead: ModelKey;
  readonly behind: ModelKey;
  /** Runs of both that failed by the fault of the infrastructure or of the user's code. */
  readonly lostRuns: number;
}

/** Every pair that would change places if the lost runs of one were all wrong and those of the other all right. */
export function rankingDoubts(models: ReadonlyMap<ModelKey, ModelOutcomes>): RankingDoubt[] {
  const bounds = [...models].map(([key, outcomes]) => ({ key, ...boundsOf(outcomes) }));
  const ranked = bounds.filter(({ seen }) => !Number.isNaN(seen)).sort((a, b) => b.seen - a.seen);
  return ranked.flatMap((ahead, at) =>
    ranked
      .slice(at + 1)
      .filter((behind) => behind.seen < ahead.seen && behind.best >= ahead.worst)
      .map((behind) => ({ ahead: ahead.key, behind: behind.key, lostRuns: ahead.lost + behind.lost })),
  );
}

function boundsOf(outcomes: ModelOutcomes) {
  let [right, counted, lost] = [0, 0, 0];
  for (const [, { correct, wrong, model, code, infrastructure }] of outcomes) {
    right += correct;
    counted += correct + wrong + model;
    lost += code + infrastructure;
  }
  return {
    lost,
    seen: right / counted,
    worst: right / (counted + lost),
    best: (right + lost) / (counted + lost),
  };
}

interface CostPerSolved {
  readonly usd: number;
  /** Some runs have no known price, so it costs at least this. */
  readonly isLowerBound: boolean;
}

/** Dollars for one right answer, wrong ones and failures included; null when nothing is right or no price known. */
export function costPerSolved(
  stats: Pick<ModelStats, "correct" | "costUsd" | "runsWithUnknownCost">,
): CostPerSolved | null {
  if (stats.correct === 0 || stats.costUsd === null) return null;
  return { usd: stats.costUsd / stats.correct, isLowerBound: stats.runsWithUnknownCost > 0 };
}
