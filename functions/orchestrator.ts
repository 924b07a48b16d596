import { withDurableExecution } from "@aws/durable-execution-sdk-js";
import { deployedStore } from "../src/deploy/parts.ts";
import { longestRunSeconds } from "../src/domain/cloud/limits.ts";
import { EvaluationSettings, ShardSettings, StorageSettings } from "../src/domain/cloud/settings.ts";
import { evaluationWorkflow } from "../src/engine/cloud/evaluation-workflow.ts";
import { shardWorkflow } from "../src/engine/cloud/shard-workflow.ts";
import { systemClock } from "../src/system/clock.ts";

const parts = { store: deployedStore(StorageSettings.parse(process.env)), clock: systemClock };

export const handler = withDurableExecution((event, context) => {
  const settings = EvaluationSettings.parse(process.env);
  const { SHARD_WORKFLOW: shard, AGGREGATOR_FUNCTION: aggregator, RUNNER_TIMEOUT_SECONDS } = settings;
  const lastsAtMost = longestRunSeconds({ timeoutSeconds: RUNNER_TIMEOUT_SECONDS });
  return evaluationWorkflow({ ...parts, shard, aggregator, longestRunSeconds: lastsAtMost })(event, context);
});

export const shardHandler = withDurableExecution((event, context) => {
  const settings = ShardSettings.parse(process.env);
  const { RUNNER_FUNCTION: runner, AGGREGATOR_FUNCTION: aggregator, TENANT_ISOLATION: tenants } = settings;
  return shardWorkflow({ ...parts, runner, aggregator, tenants })(event, context);
});
