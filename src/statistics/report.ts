import type { ModelKey } from "../domain/model.ts";
import { keyOfAllVariants } from "../domain/model.ts";
import type { Estimate } from "../domain/stats/estimate.ts";
import type { ModelStats } from "../domain/stats/stats.ts";
import { type Comparison, compareAll, testDrops } from "./compare.ts";
import {
  COUNTED,
  type ModelOutcomes,
  type ModelTallies,
  type Outcomes,
  type ProblemCounts,
  type ProblemIndex,
} from "./outcomes.ts";
import { LEVEL } from "./paired-tests.ts";
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

/** Conclusions about an evaluation's models, and about any two of them. */
export interface EvaluationReport {
  readonly models: Readonly<Record<ModelKey, ModelReport>>;
  readonly comparisons: readonly ModelComparison[];
  readonly rankingDoubts: readonly RankingDoubt[];
  readonly isRough: boolean;
}

/** While runs are still to come its comparisons have no verdict yet. */
export function evaluationReport(
  { models, problems }: Pick<Outcomes, "models" | "problems">,
  isRunning = false,
): EvaluationReport {
  const reports = [...models].map(([key, tallies]) => [key, modelReport(tallies, problems)] as const);
  return {
    models: Object.fromEntries(reports) as Record<ModelKey, ModelReport>,
    comparisons: compareEachPair(models, isRunning),
    rankingDoubts: rankingDoubts(models),
    isRough: reports.some(([, report]) => report.problems > 0 && report.problems < FEW_PROBLEMS),
  };
}

function compareEachPair(models: Outcomes["models"], isRunning: boolean): ModelComparison[] {
  const pairs = pairsOf([...models.keys()]);
  const sides = pairs.flatMap(({ model, baselineModel }) => {
    const [a, b] = [models.get(model), models.get(baselineModel)];
    return a === undefined || b === undefined ? [] : [[a, b] as const];
  });
  return compareAll(sides, isRunning).flatMap((comparison, at) => {
    const pair = pairs[at];
    return pair === undefined ? [] : [{ first: pair.model, second: pair.baselineModel, ...comparison }];
  });
}

/** One side of a comparison. */
export interface ComparedSide {
  /** The same text for what comes from one evaluation. */
  readonly evaluation: string;
  readonly outcomes: Pick<Outcomes, "models">;
  /** The only model that is meant; null for all. */
  readonly model: ModelKey | null;
  /** Some of its runs are still to come. */
  readonly isRunning?: boolean;
}

/** A model of the candidate, compared with one of the baseline. */
export interface ModelAgainst extends Comparison {
  readonly model: ModelKey;
  /** The same one, unless two different models were named. */
  readonly baselineModel: ModelKey;
  /** How likely as large a drop would be by chance: one-sided mid-p, by Holm over the same comparisons as `adjustedP`. */
  readonly dropP: number;
}

/** Says whether the candidate got worse, where nothing else is asked. */
export const isDrop = ({ verdict, dropP }: ModelAgainst): boolean =>
  verdict === "worse" || (verdict !== "too early" && dropP < LEVEL);

/**
 * Compares every model that both have, or the two that are meant; empty when there is no such pair. A pair is judged
 * among the same others however it is asked for: all pairs of an evaluation, or all models that two have in common.
 */
export function compareEvaluations(candidate: ComparedSide, baseline: ComparedSide): ModelAgainst[] {
  const asked = pairModels(candidate, baseline);
  const family = [...asked, ...othersOf(asked, candidate, baseline)].flatMap((pair) => {
    const first = candidate.outcomes.models.get(pair.model);
    const second = baseline.outcomes.models.get(pair.baselineModel);
    return first === undefined || second === undefined ? [] : [{ pair, sides: [first, second] as const }];
  });
  const sides = family.map(({ sides }) => sides);
  const isRunning = candidate.isRunning === true || baseline.isRunning === true;
  const compared = compareAll(sides, isRunning);
  const drops = testDrops(sides);
  return family.flatMap(({ pair }, at) => {
    const comparison = compared[at];
    if (comparison === undefined || !asked.includes(pair)) return [];
    return [{ ...pair, ...comparison, dropP: drops[at] ?? 1 }];
  });
}

type PairOfModels = Pick<ModelAgainst, "model" | "baselineModel">;

function pairModels(candidate: ComparedSide, baseline: ComparedSide): PairOfModels[] {
  const [mine, theirs] = [keysOf(candidate.outcomes), keysOf(baseline.outcomes)];
  const [model, baselineModel] = [candidate.model ?? baseline.model, baseline.model ?? candidate.model];
  if (model !== null && baselineModel !== null) return [{ model, baselineModel }];
  const common = commonOf(mine, theirs);
  if (common.length > 0) return common;
  const [onlyMine, onlyTheirs] = [mine[0], theirs[0]];
  const isOneEach = mine.length === 1 && theirs.length === 1;
  if (!isOneEach || onlyMine === undefined || onlyTheirs === undefined) return [];
  return [{ model: onlyMine, baselineModel: onlyTheirs }];
}

/** The pairs that are looked at beside those that are asked for. */
function othersOf(
  asked: readonly PairOfModels[],
  candidate: ComparedSide,
  baseline: ComparedSide,
): PairOfModels[] {
  const isOne = candidate.evaluation === baseline.evaluation;
  const [mine, theirs] = [keysOf(candidate.outcomes), keysOf(baseline.outcomes)];
  const all = isOne ? pairsOf(mine) : commonOf(mine, theirs);
  const isSame = (a: PairOfModels, b: PairOfModels): boolean =>
    a.model === b.model && a.baselineModel === b.baselineModel;
  const isAsked = (pair: PairOfModels): boolean =>
    asked.some((each) => isSame(each, pair) || (isOne && isSame(each, turnedPair(pair))));
  return all.filter((pair) => !isAsked(pair));
}

const turnedPair = ({ model, baselineModel }: PairOfModels): PairOfModels => ({
  model: baselineModel,
  baselineModel: model,
});

const commonOf = (mine: readonly ModelKey[], theirs: readonly ModelKey[]): PairOfModels[] =>
  mine.filter((key) => theirs.includes(key)).map((key) => ({ model: key, baselineModel: key }));

/** Every two models, in the order in which they were given. */
const pairsOf = (models: readonly ModelKey[]): PairOfModels[] => {
  const pairs = models.flatMap((model, at) =>
    models.slice(at + 1).map((baselineModel) => ({ model, baselineModel })),
  );
  const [variants, others] = [pairs.filter(areVariants), pairs.filter((pair) => !areVariants(pair))];
  return [...variants, ...others];
};

const areVariants = ({ model, baselineModel }: PairOfModels): boolean =>
  keyOfAllVariants(model) === keyOfAllVariants(baselineModel);

const keysOf = ({ models }: Pick<Outcomes, "models">): ModelKey[] => [...models.keys()];

/** Conclusions from one model's runs, and how sure they are. */
export interface ModelReport {
  /** Those with a run that counts for the accuracy. */
  readonly problems: number;
  readonly accuracy: Estimate | null;
  readonly accuracyOfScored: Estimate | null;
  readonly accuracyOfAll: Estimate | null;
  readonly meanScore: Estimate | null;
  /** The mean of each further number that checkers gave; null where nothing says how far off it is. */
  readonly metrics: Readonly<Record<string, Estimate | null>>;
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
    metrics: Object.fromEntries(
      [...tallies.metrics()].map(([name, scores]) => [name, estimateMeanScore(scores)]),
    ),
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
