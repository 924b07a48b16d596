/** The `service` dimension that all metrics carry. */
export const METRICS_SERVICE = "agent-evaluator";

/** The names under which runs are counted; alarms and functions share them. */
export const METRICS = {
  /** Every run that ended, once. */
  runs: "Runs",
  /** Those of them that failed, by cause in a second dimension. */
  failures: "Failures",
  /** Those of them that were nobody's answer: the provider, the machine or the checker failed. */
  infrastructureFailures: "InfrastructureFailures",
  /** Those of them that an evaluation's budget stopped. */
  budgetStops: "BudgetStops",
  inputTokens: "InputTokens",
  outputTokens: "OutputTokens",
  costUsd: "CostUsd",
  durationMs: "DurationMs",
} as const;

export const CAUSE_DIMENSION = "cause";
