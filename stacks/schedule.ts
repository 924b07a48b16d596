import { createHash } from "node:crypto";
import { deployment, trustLambdaAlone, withDefinitions } from "./code.ts";
import { orchestrator, startEnvironment } from "./evaluation.ts";
import { grant } from "./grants.ts";
import { failureQueue } from "./notices.ts";
import { PERMISSIONS } from "./permissions.ts";
import { thisStage } from "./stage.ts";

const scheduled = thisStage().hasSchedules
  ? deployment.definitions.flatMap(({ name, schedule }) => (schedule === null ? [] : [{ name, schedule }]))
  : [];

const starter = scheduled.length > 0 ? makeStarter() : null;

for (const { name, schedule } of scheduled) {
  new sst.aws.CronV2(`Schedule${componentName(name)}`, {
    function: starter?.arn,
    schedule,
    // A second delivery of the same hour has the same event, and starts nothing.
    event: { evaluation: name, scheduledAt: "<aws.scheduler.scheduled-time>" },
    retries: 3,
    dlq: failureQueue.arn,
  });
}

function makeStarter() {
  return new sst.aws.Function("Schedule", {
    ...withDefinitions,
    handler: "functions/schedule.handler",
    memory: "1024 MB",
    timeout: "5 minutes",
    environment: startEnvironment,
    permissions: grant(PERMISSIONS.Schedule, { orchestrator: orchestrator.nodes.function }),
    transform: {
      role: trustLambdaAlone,
      function: (args) => {
        args.deadLetterConfig = { targetArn: failureQueue.arn };
      },
    },
  });
}

/** Components are named by letters and digits alone; the hash keeps names apart that differ elsewhere. */
function componentName(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 6);
  return `${name.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 20)}${hash}`;
}
