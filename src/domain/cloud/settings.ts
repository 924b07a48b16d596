import * as z from "zod";

const Name = z.string().min(1);
const Names = z.string().transform((list) => list.split(",").filter((name) => name !== ""));

/** Sharing of a runner's warm environments: by the runs of one model, by none, or (in `sst dev`) by all. */
export const TenantIsolation = z.enum(["per-model", "per-run", "none"]);
export type TenantIsolation = z.infer<typeof TenantIsolation>;

const size = z.coerce.number().int().positive();

/** Variables that every deployed function reads. */
export const StorageSettings = z.object({ TABLE_NAME: Name, BODY_BUCKET: Name });
export type StorageSettings = z.output<typeof StorageSettings>;

/** Variables of functions that start evaluations, with the ARN of a version: an execution ends with the code it started with. */
export const StartSettings = StorageSettings.extend({
  /** Where the definitions are: a folder beside the function's code, or in `sst dev` the file that lists them. */
  DEFINITIONS: Name,
  ORCHESTRATOR_WORKFLOW: Name,
  /** The size of the deployed runner, which no run of a request may exceed. */
  RUNNER_MEMORY_MB: size,
  RUNNER_DISK_MB: size,
  RUNNER_TIMEOUT_SECONDS: size,
  /** Which of its variables have a value, with commas between; only their names. */
  RUNNER_VARIABLES: Names,
  RUNNER_CALLS_BEDROCK: z.stringbool(),
});
export type StartSettings = z.output<typeof StartSettings>;

export const ApiSettings = StartSettings.extend({
  /** The only origin that a browser may call the API from. */
  DASHBOARD_ORIGIN: Name,
});

export const EvaluationSettings = z.object({
  SHARD_WORKFLOW: Name,
  AGGREGATOR_FUNCTION: Name,
  RUNNER_TIMEOUT_SECONDS: size,
});

export const ShardSettings = z.object({
  RUNNER_FUNCTION: Name,
  AGGREGATOR_FUNCTION: Name,
  TENANT_ISOLATION: TenantIsolation,
});

export const AggregatorSettings = StorageSettings.extend({
  METRICS_NAMESPACE: Name,
  /** The topic that receives alarms of evaluations that got worse. */
  DRIFT_TOPIC: Name,
  /** The variables that hold the webhooks of definitions; its linked secrets stand for them. */
  ALARM_VARIABLES: Names,
});

export const RunnerSettings = StorageSettings.extend({
  DEFINITIONS: Name,
  METRICS_NAMESPACE: Name,
  /** The variables that its linked secrets stand for, with commas between. */
  SECRET_VARIABLES: Names,
});

/** All that any deployed function reads. */
export const CloudSettings = z.object({
  ...ApiSettings.shape,
  ...EvaluationSettings.shape,
  ...ShardSettings.shape,
  ...AggregatorSettings.shape,
  ...RunnerSettings.shape,
});

/** The name of the linked secret with the bearer token of the API. */
export const API_TOKEN_SECRET = "ApiToken";

/** A secret that nobody has set yet; as a variable it counts as missing. */
export const UNSET_SECRET = "unset";

/** The linked secret that stands for a variable: `OPENAI_API_KEY` is kept in `OpenaiApiKey`. */
export const secretName = (variable: string): string =>
  variable
    .toLowerCase()
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

/** The `service` dimension that all metrics carry. */
export const METRICS_SERVICE = "agent-evaluator";

/** The names under which runs are counted; alarms and functions share them. */
export const METRICS = {
  /** How many evaluations are running, told by a clock. */
  running: "RunningEvaluations",
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
