export { comparisonSentence } from "./domain/show/comparison-sentence.ts";
export { type Bootstrap, bcaInterval } from "./domain/statistics/bca-interval.ts";
export { type Cluster, type ClusterSums, sumClusters } from "./domain/statistics/cluster-sums.ts";
export { clusteredShare } from "./domain/statistics/clustered-share.ts";
export {
  type ComparedSide,
  compareEvaluations,
  type ModelAgainst,
} from "./domain/statistics/compare-evaluations.ts";
export { type Comparison, compareAll, compareModels } from "./domain/statistics/compare-models.ts";
export {
  type EvaluationReport,
  evaluationReport,
  type ModelComparison,
} from "./domain/statistics/evaluation-report.ts";
export { exactPairedInterval, type PairedCounts } from "./domain/statistics/exact-paired-interval.ts";
export { holmAdjusted } from "./domain/statistics/holm.ts";
export type { Estimate, Interval } from "./domain/statistics/interval.ts";
export { mcnemarExact } from "./domain/statistics/mcnemar.ts";
export type { ModelOutcomes } from "./domain/statistics/model-outcomes.ts";
export type { FlakyProblem, ModelReport, Slice } from "./domain/statistics/model-report.ts";
export { Outcomes } from "./domain/statistics/outcomes.ts";
export { passAtK, passHatK } from "./domain/statistics/pass-k.ts";
export type { Pass } from "./domain/statistics/passes.ts";
export type { ProblemCounts } from "./domain/statistics/problem-counts.ts";
export type { RankingDoubt } from "./domain/statistics/ranking-doubts.ts";
export { type RandomBits, seededBits } from "./domain/statistics/seeded-bits.ts";
export { signFlipTest } from "./domain/statistics/sign-flip.ts";
export { wilsonInterval } from "./domain/statistics/wilson.ts";
