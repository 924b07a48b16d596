export type { Estimate, Interval } from "./domain/stats/estimate.ts";
export {
  type Comparison,
  compareAll,
  compareModels,
  comparisonSentence,
  detectableDifference,
  problemsNeeded,
} from "./statistics/compare.ts";
export type { ModelOutcomes, ProblemCounts } from "./statistics/outcomes.ts";
export { Outcomes } from "./statistics/outcomes.ts";
export { exactPairedInterval, type PairedCounts } from "./statistics/paired-intervals.ts";
export { type DifferenceSums, holmAdjusted, mcnemarExact, signFlipTest } from "./statistics/paired-tests.ts";
export type { Pass } from "./statistics/passes.ts";
export { passAtK, passHatK } from "./statistics/passes.ts";
export { type RandomBits, seededBits } from "./statistics/random.ts";
export type { FlakyProblem, ModelReport, RankingDoubt, Slice } from "./statistics/report.ts";
export {
  type ComparedSide,
  compareEvaluations,
  type EvaluationReport,
  evaluationReport,
  type ModelAgainst,
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
