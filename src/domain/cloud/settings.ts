import * as z from "zod";

const Name = z.string().min(1);
const Names = z.string().transform((list) => list.split(",").filter((name) => name !== ""));

/** Who shares a runner's warm environments: the runs of one model, nobody, or (in `sst dev`) there is no isolation. */
export const TenantIsolation = z.enum(["per-model", "per-run", "none"]);
export type TenantIsolation = z.infer<typeof TenantIsolation>;

/**
 * What a deployed function reads from its environment; each picks what it was given.
 * Functions are named by the ARN of a version: an execution ends with the code it started with.
 */
export const CloudSettings = z.object({
  TABLE_NAME: Name,
  BODY_BUCKET: Name,
  ORCHESTRATOR_WORKFLOW: Name,
  SHARD_WORKFLOW: Name,
  RUNNER_FUNCTION: Name,
  AGGREGATOR_FUNCTION: Name,
  TENANT_ISOLATION: TenantIsolation,
  /** The size of the deployed runner, which no run of a request may exceed. */
  RUNNER_MEMORY_MB: z.coerce.number().int().positive(),
  RUNNER_TIMEOUT_SECONDS: z.coerce.number().int().positive(),
  /** Which of its variables have a value, with commas between; the names alone. */
  RUNNER_VARIABLES: Names,
  RUNNER_CALLS_BEDROCK: z.stringbool(),
  /** The only origin that a browser may call the API from. */
  DASHBOARD_ORIGIN: Name,
  METRICS_NAMESPACE: Name,
  /** The topic that hears of evaluations that got worse. */
  DRIFT_TOPIC: Name,
  /** Where the definitions are: a folder beside the function's code, or in `sst dev` the file that lists them. */
  DEFINITIONS: Name,
  /** The variables that the runner's linked secrets stand for, with commas between. */
  SECRET_VARIABLES: Names,
  /** Those that hold the webhooks of definitions, of the aggregator's linked secrets. */
  ALARM_VARIABLES: Names,
});
export type CloudSettings = z.output<typeof CloudSettings>;

/** What each function needs of them. */
export const StorageSettings = CloudSettings.pick({ TABLE_NAME: true, BODY_BUCKET: true });
export const StartSettings = StorageSettings.extend(
  CloudSettings.pick({
    DEFINITIONS: true,
    ORCHESTRATOR_WORKFLOW: true,
    RUNNER_MEMORY_MB: true,
    RUNNER_TIMEOUT_SECONDS: true,
    RUNNER_VARIABLES: true,
    RUNNER_CALLS_BEDROCK: true,
  }).shape,
);
export type StartSettings = z.output<typeof StartSettings>;
export const ApiSettings = StartSettings.extend(CloudSettings.pick({ DASHBOARD_ORIGIN: true }).shape);
export const EvaluationSettings = CloudSettings.pick({
  SHARD_WORKFLOW: true,
  AGGREGATOR_FUNCTION: true,
  RUNNER_TIMEOUT_SECONDS: true,
});
export const ShardSettings = CloudSettings.pick({
  RUNNER_FUNCTION: true,
  AGGREGATOR_FUNCTION: true,
  TENANT_ISOLATION: true,
});
export const AggregatorSettings = StorageSettings.extend(
  CloudSettings.pick({ METRICS_NAMESPACE: true, DRIFT_TOPIC: true, ALARM_VARIABLES: true }).shape,
);
export const RunnerSettings = StorageSettings.extend(
  CloudSettings.pick({ DEFINITIONS: true, METRICS_NAMESPACE: true, SECRET_VARIABLES: true }).shape,
);

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
