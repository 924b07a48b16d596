import { Metrics } from "@aws-lambda-powertools/metrics";
import { Resource } from "sst/resource";
import { DeployedRunner } from "../src/deployed-runner.ts";
import { deployedStore } from "../src/deployed-store.ts";
import { METRICS_SERVICE } from "../src/domain/cloud-metrics.ts";
import { RunnerSettings } from "../src/domain/cloud-settings.ts";
import { publishRun } from "../src/engine/cloud/publish-run.ts";
import { processesAtFirst } from "../src/isolation/end-strangers.ts";
import { linkedVariables } from "../src/linked-variables.ts";
import { openDefinitions } from "../src/open-definitions.ts";
import { inPackage, taskRoot } from "../src/own-files.ts";

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
