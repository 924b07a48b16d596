import { withDurableExecution } from "@aws/durable-execution-sdk-js";
import { deployedStore } from "../src/deployed-store.ts";
import { EvaluationSettings, ShardSettings, StorageSettings } from "../src/domain/cloud-settings.ts";
import { evaluationWorkflow } from "../src/engine/cloud/evaluation-workflow.ts";
import { shardWorkflow } from "../src/engine/cloud/shard-workflow.ts";
import { systemClock } from "../src/engine/system-clock.ts";

const parts = { store: deployedStore(StorageSettings.parse(process.env)), clock: systemClock };

export const handler = withDurableExecution((event, context) => {
  const { SHARD_WORKFLOW: shard, AGGREGATOR_FUNCTION: aggregator } = EvaluationSettings.parse(process.env);
  return evaluationWorkflow({ ...parts, shard, aggregator })(event, context);
});

export const shardHandler = withDurableExecution((event, context) => {
  const settings = ShardSettings.parse(process.env);
  const { RUNNER_FUNCTION: runner, AGGREGATOR_FUNCTION: aggregator, TENANT_ISOLATION: tenants } = settings;
  return shardWorkflow({ ...parts, runner, aggregator, tenants })(event, context);
});
