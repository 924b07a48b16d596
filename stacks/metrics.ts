import { METRICS_SERVICE } from "../src/domain/cloud-metrics.ts";

/** Stages of one account keep their metrics apart. */
export const metricsNamespace = `AgentEvaluator/${$app.name}/${$app.stage}`;

export const metricsEnvironment = {
  METRICS_NAMESPACE: metricsNamespace,
  POWERTOOLS_SERVICE_NAME: METRICS_SERVICE,
};
