import { MAX_INVOCATION_SECONDS, METRICS, METRICS_SERVICE } from "agent-evaluator/cloud";
import { metricsNamespace } from "./code.ts";
import { aggregator, orchestrator } from "./evaluation.ts";
import { failureQueue } from "./notices.ts";
import { thisStage } from "./stage.ts";

/** No run takes longer, so that each of them ends in the next period at the latest. */
const period = MAX_INVOCATION_SECONDS;

const dimensions = { service: METRICS_SERVICE };
const ownMetric = (metricName: string) => ({ namespace: metricsNamespace, metricName, dimensions, period });
const sumOf = (id: string, metricName: string) => ({ id, metric: { ...ownMetric(metricName), stat: "Sum" } });

const ofOrchestrator = (id: string, metricName: string, stat: string) => {
  const dimensions = { FunctionName: orchestrator.name };
  return { id, metric: { namespace: "AWS/Lambda", metricName, dimensions, period, stat } };
};

const result = (label: string, expression: string) => ({ id: "result", expression, label, returnData: true });

const watched: Readonly<Record<string, Omit<aws.cloudwatch.MetricAlarmArgs, "comparisonOperator">>> = {
  EvaluationStuck: {
    alarmDescription: "An evaluation is running, but no run has ended for 45 minutes.",
    threshold: 0,
    evaluationPeriods: 3,
    metricQueries: [
      result("evaluations without progress", "IF(running > 0 AND FILL(ended, 0) == 0, 1, 0)"),
      { id: "running", metric: { ...ownMetric(METRICS.running), stat: "Minimum" } },
      sumOf("ended", METRICS.runs),
    ],
  },
  OrchestratorFailed: {
    alarmDescription: "The execution of an evaluation died; cancel the evaluation or retry it.",
    threshold: 0,
    evaluationPeriods: 1,
    metricQueries: [
      result("executions that died", "FILL(failed, 0) + FILL(late, 0)"),
      ofOrchestrator("failed", "DurableExecutionFailed", "Sum"),
      ofOrchestrator("late", "DurableExecutionTimedOut", "Sum"),
    ],
  },
  FailureRate: {
    alarmDescription:
      "More than a fifth of the runs failed within 15 minutes, and not because of their model.",
    threshold: 20,
    evaluationPeriods: 1,
    metricQueries: [
      // A few runs say little.
      result("% of runs that failed", "IF(ended >= 20, 100 * FILL(failed, 0) / ended, 0)"),
      sumOf("failed", METRICS.infrastructureFailures),
      sumOf("ended", METRICS.runs),
    ],
  },
  FailureQueueNotEmpty: {
    alarmDescription: "An evaluation was requested but did not start; its event is in the failure queue.",
    threshold: 0,
    evaluationPeriods: 1,
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: failureQueue.nodes.queue.name },
    period: 300,
    statistic: "Maximum",
  },
  BudgetSpent: {
    alarmDescription: "An evaluation has spent its budget and starts no further run.",
    threshold: 0,
    evaluationPeriods: 1,
    namespace: metricsNamespace,
    metricName: METRICS.budgetStops,
    dimensions,
    period: 300,
    statistic: "Sum",
  },
};

/** Subscribe to it to hear of alarms. */
export const alarms = thisStage().hasAlarms ? new sst.aws.SnsTopic("Alarms") : null;

if (alarms !== null) {
  // An execution that hangs tells nothing, and neither does one that died; so evaluations are counted by a clock.
  new sst.aws.CronV2("Watch", {
    function: aggregator.arn,
    schedule: "rate(5 minutes)",
    event: { v: 1, watch: true },
  });
  for (const [name, args] of Object.entries(watched)) {
    new aws.cloudwatch.MetricAlarm(name, {
      comparisonOperator: "GreaterThanThreshold",
      treatMissingData: "notBreaching",
      alarmActions: [alarms.arn],
      okActions: [alarms.arn],
      ...args,
    });
  }
}
