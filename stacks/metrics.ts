import { METRICS_SERVICE } from "agent-evaluator/cloud";

/** Stages of one account keep their metrics apart. */
export const metricsNamespace = `AgentEvaluator/${$app.name}/${$app.stage}`;

export const metricsEnvironment = {
  METRICS_NAMESPACE: metricsNamespace,
  POWERTOOLS_SERVICE_NAME: METRICS_SERVICE,
};
