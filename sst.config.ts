/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  async app({ stage }) {
    const { stageSettings } = await import("./stacks/stage.ts");
    const { deployRegion } = await import("./stacks/region.ts");
    const { removal, isProtected } = stageSettings(stage, false);
    const providers = { aws: { region: deployRegion(process.env.AWS_REGION) } };
    return { name: "agent-evaluator", home: "aws", removal, protect: isProtected, providers };
  },
  async run() {
    const { api } = await import("./stacks/api.ts");
    const { dashboard } = await import("./stacks/web.ts");
    const { failureQueue, driftTopic } = await import("./stacks/notices.ts");
    const { alarms } = await import("./stacks/alarms.ts");
    await import("./stacks/schedule.ts");
    return {
      api: api.url,
      ...(dashboard && { dashboard: dashboard.url }),
      failureQueue: failureQueue.url,
      drift: driftTopic.arn,
      ...(alarms && { alarms: alarms.arn }),
    };
  },
});
