import { Metrics } from "@aws-lambda-powertools/metrics";
import { Resource } from "sst/resource";
import { openDefinitions } from "../src/deploy/definitions.ts";
import { deployedStore, linkedVariables } from "../src/deploy/parts.ts";
import { DeployedRunner } from "../src/deploy/runner.ts";
import { METRICS_SERVICE, RunnerSettings } from "../src/domain/cloud/settings.ts";
import { publishRun } from "../src/engine/cloud/publish.ts";
import { processesAtFirst } from "../src/isolation/parent/processes.ts";
import { inPackage, taskRoot } from "../src/local/own-files.ts";

const settings = RunnerSettings.parse(process.env);
const metrics = new Metrics({ namespace: settings.METRICS_NAMESPACE, serviceName: METRICS_SERVICE });
const runner = new DeployedRunner({
  definitions: await openDefinitions(inPackage(settings.DEFINITIONS)),
  store: deployedStore(settings),
  variables: { ...process.env, ...linkedVariables(settings.SECRET_VARIABLES, { ...Resource }) },
  onEntry: (entry) => publishRun(metrics, entry),
  atFirst: processesAtFirst(taskRoot()),
});
await runner.warmUp();

export const handler = (event: unknown, context: { getRemainingTimeInMillis(): number }) =>
  runner.run(event, () => context.getRemainingTimeInMillis());
