import {
  definitionsEnvironment,
  deployment,
  functionDefaults,
  metricsEnvironment,
  trustLambdaAlone,
  withDefinitions,
} from "./code.ts";
import { grant } from "./grants.ts";
import { driftTopic, failureQueue } from "./notices.ts";
import { BEDROCK, PERMISSIONS } from "./permissions.ts";
import { alarmSecrets, runnerSecrets, runnerVariables } from "./secrets.ts";
import { thisStage } from "./stage.ts";
import { storageEnvironment } from "./storage.ts";

const { memoryMb, diskMb, timeoutSeconds } = deployment.runner;
const tenantIsolation = thisStage().hasTenants ? deployment.runner.tenantIsolation : "none";
const RUNNER_TIMEOUT_SECONDS = String(timeoutSeconds);

/** One invocation per run. It alone holds keys, and nothing is linked to it but its own secrets. */
export const runner = new sst.aws.Function("Runner", {
  ...withDefinitions,
  handler: "functions/runner.handler",
  memory: `${memoryMb} MB`,
  storage: `${diskMb} MB`,
  timeout: `${timeoutSeconds} seconds`,
  versioning: true,
  link: runnerSecrets,
  environment: {
    ...storageEnvironment,
    ...metricsEnvironment,
    ...definitionsEnvironment,
    SECRET_VARIABLES: deployment.variables.join(","),
  },
  permissions: grant([...PERMISSIONS.Runner, ...(deployment.usesBedrock ? [BEDROCK] : [])]),
  transform: {
    role: trustLambdaAlone,
    function: (args) => {
      if (tenantIsolation !== "none") args.tenancyConfig = { tenantIsolationMode: "PER_TENANT" };
    },
  },
});

export const aggregator = new sst.aws.Function("Aggregator", {
  ...functionDefaults,
  handler: "functions/aggregator.handler",
  memory: "1024 MB",
  timeout: "5 minutes",
  versioning: true,
  link: alarmSecrets,
  environment: {
    ...storageEnvironment,
    ...metricsEnvironment,
    DRIFT_TOPIC: driftTopic.arn,
    ALARM_VARIABLES: deployment.alarmVariables.join(","),
  },
  permissions: grant(PERMISSIONS.Aggregator),
  transform: { role: trustLambdaAlone },
});

/** Runs its share of an evaluation, at most 500 runs. */
export const shard = new sst.aws.Workflow("Shard", {
  ...functionDefaults,
  handler: "functions/orchestrator.shardHandler",
  environment: {
    ...storageEnvironment,
    ...metricsEnvironment,
    RUNNER_FUNCTION: runner.nodes.function.qualifiedArn,
    AGGREGATOR_FUNCTION: aggregator.nodes.function.qualifiedArn,
    TENANT_ISOLATION: tenantIsolation,
  },
  permissions: grant(PERMISSIONS.Shard, { runner, aggregator }),
  transform: { function: { role: trustLambdaAlone } },
});

/** Runs an evaluation, shard by shard. Its own version, and with it all it calls, is fixed when it starts. */
export const orchestrator = new sst.aws.Workflow("Orchestrator", {
  ...functionDefaults,
  handler: "functions/orchestrator.handler",
  environment: {
    ...storageEnvironment,
    ...metricsEnvironment,
    SHARD_WORKFLOW: shard.nodes.function.nodes.function.qualifiedArn,
    AGGREGATOR_FUNCTION: aggregator.nodes.function.qualifiedArn,
    RUNNER_TIMEOUT_SECONDS,
  },
  permissions: grant(PERMISSIONS.Orchestrator, { shard: shard.nodes.function, aggregator }),
  transform: {
    function: {
      role: trustLambdaAlone,
      function: (args) => {
        args.deadLetterConfig = { targetArn: failureQueue.arn };
      },
    },
  },
});

/** Variables of functions that start evaluations. */
export const startEnvironment = {
  ...storageEnvironment,
  ...definitionsEnvironment,
  ORCHESTRATOR_WORKFLOW: orchestrator.nodes.function.nodes.function.qualifiedArn,
  RUNNER_MEMORY_MB: String(memoryMb),
  RUNNER_DISK_MB: String(diskMb),
  RUNNER_TIMEOUT_SECONDS,
  RUNNER_VARIABLES: runnerVariables,
  RUNNER_CALLS_BEDROCK: String(deployment.usesBedrock),
};
