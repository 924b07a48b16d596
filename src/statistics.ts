export type { Estimate, Interval } from "./domain/stats/estimate.ts";
export {
  type ComparedSide,
  type Comparison,
  compareAll,
  compareEvaluations,
  compareModels,
  comparisonSentence,
  type ModelAgainst,
} from "./statistics/compare.ts";
export type { ModelOutcomes, ProblemCounts } from "./statistics/outcomes.ts";
export { Outcomes } from "./statistics/outcomes.ts";
export { exactPairedInterval, type PairedCounts } from "./statistics/paired-intervals.ts";
export { holmAdjusted, mcnemarExact, signFlipTest } from "./statistics/paired-tests.ts";
export type { Pass } from "./statistics/passes.ts";
export { passAtK, passHatK } from "./statistics/passes.ts";
export { type RandomBits, seededBits } from "./statistics/random.ts";
export type { FlakyProblem, ModelReport, RankingDoubt, Slice } from "./statistics/report.ts";
export {
  type EvaluationReport,
  evaluationReport,
  type ModelComparison,
} from "./statistics/report.ts";
export { type Bootstrap, bcaInterval } from "./statistics/scores.ts";
export {
  type Cluster,
  type ClusterSums,
  clusteredShare,
  sumClusters,
  wilsonInterval,
} from "./statistics/shares.ts";
