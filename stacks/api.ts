import { trustLambdaAlone, withDefinitions } from "./code.ts";
import { orchestrator, startEnvironment } from "./evaluation.ts";
import { grant } from "./grants.ts";
import { PERMISSIONS } from "./permissions.ts";
import { dashboardOrigin } from "./router.ts";
import { apiToken } from "./secrets.ts";
import { thisStage } from "./stage.ts";

/** The whole API is one app, which knows its routes, its token and who may call it from a browser. */
export const app = new sst.aws.Function("Api", {
  ...withDefinitions,
  handler: "functions/api.handler",
  memory: "1024 MB",
  // API Gateway gives up after 30 seconds.
  timeout: "29 seconds",
  link: [apiToken],
  environment: { ...startEnvironment, DASHBOARD_ORIGIN: dashboardOrigin },
  permissions: grant(PERMISSIONS.Api, { orchestrator: orchestrator.nodes.function }),
  transform: { role: trustLambdaAlone },
});

export const api = new sst.aws.ApiGatewayV2("Gateway", {
  cors: false,
  accessLog: { retention: thisStage().logRetention },
});

api.route("$default", app.arn);
