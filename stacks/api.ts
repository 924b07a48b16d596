import { trustLambdaAlone, withDefinitions } from "./code.ts";
import { orchestrator, startEnvironment } from "./evaluation.ts";
import { grant } from "./grants.ts";
import { PERMISSIONS } from "./permissions.ts";
import { dashboardOrigin } from "./router.ts";
import { apiToken } from "./secrets.ts";
import { thisStage } from "./stage.ts";

const { apiPlaces, logRetention } = thisStage();

/** How many functions this account runs at once, in the words of Service Quotas. */
const CONCURRENT_EXECUTIONS = { serviceCode: "lambda", quotaCode: "L-B99A9384" };
/** With fewer there are none to spare, and Lambda wants 100 of them kept for everybody. */
const MANY = 1_000;

/**
 * Runs may take every place that the account has, and then API Gateway answers 503. No other function keeps places: they
 * would also be the most it gets, and what Lambda refuses to start of an execution is waited for.
 */
const concurrency =
  apiPlaces === 0
    ? undefined
    : aws.servicequotas
        .getServiceQuotaOutput(CONCURRENT_EXECUTIONS)
        .apply(({ value }) => (value >= MANY ? { reserved: apiPlaces } : {}));

/** The whole API is one app, which knows its routes, its token and who may call it from a browser. */
export const app = new sst.aws.Function("Api", {
  ...withDefinitions,
  handler: "functions/api.handler",
  memory: "1024 MB",
  // API Gateway gives up after 30 seconds.
  timeout: "29 seconds",
  ...(concurrency && { concurrency }),
  link: [apiToken],
  environment: { ...startEnvironment, DASHBOARD_ORIGIN: dashboardOrigin },
  permissions: grant(PERMISSIONS.Api, { orchestrator: orchestrator.nodes.function }),
  transform: { role: trustLambdaAlone },
});

export const api = new sst.aws.ApiGatewayV2("Gateway", {
  cors: false,
  accessLog: { retention: logRetention },
});

api.route("$default", app.arn);
