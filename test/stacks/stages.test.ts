import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CloudSettings } from "../../src/domain/cloud/settings.ts";
import { PERMISSIONS } from "../../stacks/permissions.ts";
import { deployRegion } from "../../stacks/region.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { EVALS_VARIABLES, evals } from "./deployed-evals.ts";
import { envTypes } from "./env-types.ts";
import { allOf, lambda, linksOf, only, statementsOf, variablesOf } from "./find-resources.ts";
import { isOfSst, PROGRAM, SST_IMPORTS } from "./pulumi-program.ts";
import { type Synthesised, synthesise } from "./synth.ts";

const PROVIDER_SECRETS = ["AnthropicApiKey", "GeminiApiKey", "GoogleApiKey", "HfToken", "OpenaiApiKey"];
const ALL_FUNCTIONS = ["Aggregator", "Api", "OrchestratorHandler", "Runner", "ShardHandler"];

let production: Synthesised;
let live: Synthesised;
let pullRequest: Synthesised;
/** Whose definitions say what their runner is like, with two keys. */
let sized: Synthesised;

beforeAll(async () => {
  production = await synthesise({ stage: "production", evals, hasDashboard: true });
  live = await synthesise({ stage: "dev", isLive: true, evals, hasDashboard: true });
  pullRequest = await synthesise({ stage: "pr-7" });
  const secrets = { ApiToken: "a-token", OpenaiApiKey: "sk-one", HfToken: "hf-two" };
  sized = await synthesise({ stage: "pr-9", evals: join(evals, "../sized"), secrets });
}, 600_000);

const each = () => Object.entries({ production, live, pullRequest });

test("every question of the stacks has an answer", () => {
  expect(each().map(([, { warnings }]) => warnings)).toEqual([[], [], []]);
});

describe("the program that Pulumi runs", () => {
  test("imports packages of SST and nothing of ours", () => {
    for (const [, { imports }] of each()) expect(imports).toEqual(SST_IMPORTS);
  });

  test("has loaded JavaScript of packages alone, beside itself", () => {
    for (const [, { loaded }] of each()) {
      expect(loaded.length).toBeGreaterThan(100);
      expect(loaded.filter((file) => !isOfSst(file))).toEqual([expect.stringMatching(PROGRAM)]);
    }
  });

  test("cannot load a source file of ours", async () => {
    const source = JSON.stringify(join(import.meta.dirname, "../../src/deploy/packer.ts"));
    const project = aProject({
      "sst.config.ts": `const source = ${source};
        export default $config({ app: () => ({ name: "a", home: "aws" }), run: () => import(source) });`,
    });
    await expect(synthesise({ stage: "dev", project })).rejects.toThrow(/packer\.ts\(.*error TS5097/);
  });

  test("says what cannot be deployed, and nothing else", async () => {
    const folder = aProject({ "index.ts": "export default [];" });
    const refused = synthesise({ stage: "dev", evals: folder });
    await expect(refused).rejects.toThrow(/\nerror: .*evals\/index\.ts cannot be deployed:\n.*\n$/);
  });
});

describe("the table", () => {
  test("has its keys, its indexes and a time to live", () => {
    for (const [, stage] of each()) {
      expect(only(stage, "aws:dynamodb/table:Table")).toMatchObject({
        billingMode: "PAY_PER_REQUEST",
        hashKey: "pk",
        rangeKey: "sk",
        ttl: { attributeName: "expiresAt", enabled: true },
        attributes: ["pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk"].map((name) => ({ name, type: "S" })),
        globalSecondaryIndexes: ["gsi1", "gsi2"].map((name) => ({
          name,
          hashKey: `${name}pk`,
          rangeKey: `${name}sk`,
          projectionType: "INCLUDE",
          nonKeyAttributes: ["entity", "v", "record"],
        })),
      });
    }
  });

  test.each([
    ["production", true],
    ["live", false],
    ["pullRequest", false],
  ])("in %s is protected: %s", (name, isProtected) => {
    const stage = Object.fromEntries(each())[name] as Synthesised;
    expect(only(stage, "aws:dynamodb/table:Table")).toMatchObject({
      deletionProtectionEnabled: isProtected,
      pointInTimeRecovery: { enabled: isProtected },
    });
    expect(stage.app).toMatchObject({
      removal: isProtected ? "retain" : "remove",
      protect: isProtected,
      home: "aws",
    });
    const kept = ["aws:dynamodb/table:Table", "aws:s3/bucket:Bucket"].flatMap((type) =>
      allOf(stage, type).filter(({ parent }) => /::(?:Table|Bodies)$/.test(parent)),
    );
    expect(kept.map(({ isRetained }) => isRetained)).toEqual([isProtected, isProtected]);
  });
});

test("bodies are nobody else's to read", () => {
  expect(
    only(production, "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "BodiesPublicAccessBlock"),
  ).toMatchObject({
    blockPublicAcls: true,
    blockPublicPolicy: true,
    ignorePublicAcls: true,
    restrictPublicBuckets: true,
  });
});

test("no browser may read bodies, and those of a stage to try things in are gone after 90 days", () => {
  const open = each().flatMap(([, stage]) =>
    allOf(stage, "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration").map(({ parent }) => parent),
  );
  expect(open.filter((parent) => parent.endsWith("::Bodies"))).toEqual([]);
  const rules = each().map(([, stage]) =>
    allOf(stage, "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration").flatMap(
      ({ inputs }) => inputs.rules,
    ),
  );
  const rule = { id: "bodies", status: "Enabled", filter: { prefix: "bodies/" }, expiration: { days: 90 } };
  expect(rules).toEqual([[], [rule], [rule]]);
});

test("everything is deployed to the region that is named, and refused where durable functions may be missing", () => {
  for (const [, { app }] of each()) expect(app.providers).toEqual({ aws: { region: "us-east-2" } });
  expect(deployRegion("eu-central-1")).toBe("eu-central-1");
  expect(() => deployRegion("us-west-1")).toThrow(/us-west-1, which is not known .*us-east-2,.*region\.ts/);
});

describe("functions", () => {
  test("are the same everywhere, but schedules are production's", () => {
    const names = each().map(([, stage]) =>
      allOf(stage, "aws:lambda/function:Function")
        .map(({ name }) => name.replace(/Function$/, ""))
        .toSorted(),
    );
    expect(names).toEqual([
      ["Aggregator", "Api", "OrchestratorHandler", "Runner", "Schedule", "ShardHandler"],
      ALL_FUNCTIONS,
      ALL_FUNCTIONS,
    ]);
  });

  test("run on arm64 and Node 24, and log JSON", () => {
    for (const name of ALL_FUNCTIONS) {
      expect(lambda(production, name)).toMatchObject({
        architectures: ["arm64"],
        runtime: "nodejs24.x",
        loggingConfig: { logFormat: "JSON" },
      });
    }
  });

  test.each([
    ["Runner", 3_256, 900, true],
    ["Aggregator", 1_024, 300, true],
    ["ShardHandler", 1_024, 300, true],
    ["OrchestratorHandler", 1_024, 300, true],
    ["Api", 1_024, 29, false],
    ["Schedule", 1_024, 300, false],
  ])("%s has %s MB, %s s, and versions: %s", (name, memorySize, timeout, publish) => {
    expect(lambda(production, name)).toMatchObject({ memorySize, timeout, publish });
  });

  test("the runner has the disk that its runs may fill, and no other function more than Lambda gives", () => {
    const disks = allOf(production, "aws:lambda/function:Function").map(
      ({ name, inputs }) => [name, inputs.ephemeralStorage] as const,
    );
    expect(Object.fromEntries(disks.filter(([, disk]) => Object(disk).size !== 512))).toEqual({
      RunnerFunction: { size: 2_256 },
    });
  });

  test("only the API keeps places, in production, where the account has many", async () => {
    const kept = (stage: Synthesised) =>
      allOf(stage, "aws:lambda/function:Function").flatMap(({ name, inputs }) =>
        (inputs.reservedConcurrentExecutions ?? -1) === -1
          ? []
          : [[name, inputs.reservedConcurrentExecutions]],
      );
    expect(each().map(([, stage]) => kept(stage))).toEqual([[["ApiFunction", 20]], [], []]);
    const inNewAccount = await synthesise({ stage: "production", concurrencyQuota: 10 });
    expect(kept(inNewAccount)).toEqual([]);
  }, 600_000);

  test("only workflows are durable, for up to 14 days", () => {
    const durable = allOf(production, "aws:lambda/function:Function").filter(
      ({ inputs }) => inputs.durableConfig !== undefined,
    );
    expect(durable.map(({ name, inputs }) => [name, inputs.durableConfig]).toSorted()).toEqual([
      ["OrchestratorHandlerFunction", { executionTimeout: 1_209_600, retentionPeriod: 30 }],
      ["ShardHandlerFunction", { executionTimeout: 1_209_600, retentionPeriod: 30 }],
    ]);
  });

  test("the runner alone is isolated by tenant, and not where it lives on a laptop", () => {
    const tenants = each().map(([, stage]) =>
      allOf(stage, "aws:lambda/function:Function")
        .filter(({ inputs }) => inputs.tenancyConfig !== undefined)
        .map(({ name, inputs }) => [name, inputs.tenancyConfig]),
    );
    const isolated = [["RunnerFunction", { tenantIsolationMode: "PER_TENANT" }]];
    expect(tenants).toEqual([isolated, [], isolated]);
    expect(each().map(([, stage]) => variablesOf(stage, "ShardHandler").TENANT_ISOLATION)).toEqual([
      "per-model",
      "none",
      "per-model",
    ]);
  });

  test("the runner is as large, and isolates whom, a project says", () => {
    expect(lambda(sized, "Runner")).toMatchObject({
      memorySize: 2_048,
      ephemeralStorage: { size: 4_096 },
      timeout: 300,
      tenancyConfig: { tenantIsolationMode: "PER_TENANT" },
    });
    expect(variablesOf(sized, "ShardHandler").TENANT_ISOLATION).toBe("per-run");
  });

  test("have the handlers that they are said to have", async () => {
    const handlers = production.calls
      .filter(({ method }) => method === "Runtime.Build")
      .map(({ args }) => String(args.handler).split("."));
    expect(handlers).toHaveLength(6);
    for (const [file = "", name = ""] of handlers) {
      const source = await readFile(join(import.meta.dirname, `../../${file}.ts`), "utf8");
      expect(source).toMatch(new RegExp(`^export const ${name}\\b`, "m"));
    }
  });

  test("are built without what builds bundles", () => {
    const builds = production.calls.filter(({ method }) => method === "Runtime.Build");
    expect(builds).toHaveLength(6);
    for (const { args } of builds) {
      expect(args.properties).toMatchObject({
        minify: true,
        esbuild: { external: ["esbuild"] },
      });
    }
  });

  test("in sst dev all of them are live", () => {
    const targets = live.calls.filter(({ method }) => method === "Runtime.AddTarget");
    expect(targets.map(({ args }) => args.functionID).toSorted()).toEqual(ALL_FUNCTIONS);
  });
});

describe("what a function is told", () => {
  const storage = ["BODY_BUCKET", "TABLE_NAME"];
  const metrics = ["METRICS_NAMESPACE", "POWERTOOLS_SERVICE_NAME"];
  const runner = ["MEMORY_MB", "DISK_MB", "TIMEOUT_SECONDS", "VARIABLES", "CALLS_BEDROCK"].map(
    (name) => `RUNNER_${name}`,
  );
  const start = [...storage, ...runner, "DEFINITIONS", "ORCHESTRATOR_WORKFLOW"];

  test.each([
    ["Runner", [...storage, ...metrics, "DEFINITIONS", "SECRET_VARIABLES"]],
    ["Aggregator", [...storage, ...metrics, "DRIFT_TOPIC", "ALARM_VARIABLES"]],
    ["ShardHandler", [...storage, ...metrics, "AGGREGATOR_FUNCTION", "RUNNER_FUNCTION", "TENANT_ISOLATION"]],
    [
      "OrchestratorHandler",
      [...storage, ...metrics, "AGGREGATOR_FUNCTION", "SHARD_WORKFLOW", "RUNNER_TIMEOUT_SECONDS"],
    ],
    ["Api", [...start, "DASHBOARD_ORIGIN"]],
    ["Schedule", start],
  ])("%s", (name, expected) => {
    const variables = variablesOf(production, name);
    expect(Object.keys(variables).toSorted()).toEqual(expected.toSorted());
    const { POWERTOOLS_SERVICE_NAME: _, ...ours } = variables;
    expect(CloudSettings.partial().strict().safeParse(ours).error).toBeUndefined();
  });

  test("names the version of whatever an execution calls", () => {
    const arn = (name: string) =>
      `arn:aws:lambda:eu-central-1:123456789012:function:${lambda(production, name).name}:7`;
    expect(variablesOf(production, "Api").ORCHESTRATOR_WORKFLOW).toBe(arn("OrchestratorHandler"));
    expect(variablesOf(production, "OrchestratorHandler").SHARD_WORKFLOW).toBe(arn("ShardHandler"));
    expect(variablesOf(production, "OrchestratorHandler").AGGREGATOR_FUNCTION).toBe(arn("Aggregator"));
    expect(variablesOf(production, "ShardHandler").RUNNER_FUNCTION).toBe(arn("Runner"));
  });

  test("says what the runner has, to those who start evaluations and wait for runs", () => {
    const told = (stage: Synthesised, name: string) =>
      Object.fromEntries(Object.entries(variablesOf(stage, name)).filter(([key]) => runner.includes(key)));
    const usual = {
      RUNNER_MEMORY_MB: "3256",
      RUNNER_DISK_MB: "2256",
      RUNNER_TIMEOUT_SECONDS: "900",
      RUNNER_VARIABLES: "",
    };
    expect(told(production, "Api")).toEqual({ ...usual, RUNNER_CALLS_BEDROCK: "true" });
    expect(told(production, "Schedule")).toEqual(told(production, "Api"));
    expect(told(sized, "Api")).toEqual({
      RUNNER_MEMORY_MB: "2048",
      RUNNER_DISK_MB: "4096",
      RUNNER_TIMEOUT_SECONDS: "300",
      RUNNER_VARIABLES: "HF_TOKEN,OPENAI_API_KEY",
      RUNNER_CALLS_BEDROCK: "false",
    });
    expect(told(sized, "OrchestratorHandler")).toEqual({ RUNNER_TIMEOUT_SECONDS: "300" });
  });

  test("says where the definitions are", () => {
    expect(variablesOf(production, "Runner").DEFINITIONS).toBe("definitions");
    expect(variablesOf(live, "Runner").DEFINITIONS).toMatch(/\/evals\/index\.ts$/);
  });

  test("lies beside the code of whoever loads definitions", () => {
    const withDefinitions = Object.entries(production.packages).filter(([, files]) =>
      files.includes("src/definitions/index.json"),
    );
    expect(withDefinitions.map(([name]) => name).toSorted()).toEqual(["Api", "Runner", "Schedule"]);
    expect(production.packages.Runner).toEqual(
      expect.arrayContaining([
        "src/isolation/reaper.js",
        "src/test/fixtures/stacks/evals/nightly.eval.ts",
        expect.stringMatching(/^src\/definitions\/[0-9a-f]{12}\/bundle\.mjs$/),
      ]),
    );
  });

  test("keeps the metrics of stages apart", () => {
    expect(each().map(([, stage]) => variablesOf(stage, "Runner").METRICS_NAMESPACE)).toEqual([
      "AgentEvaluator/agent-evaluator/production",
      "AgentEvaluator/agent-evaluator/dev",
      "AgentEvaluator/agent-evaluator/pr-7",
    ]);
  });
});

describe("secrets", () => {
  test("are the runner's, and the API's token is the API's", () => {
    const own = [...PROVIDER_SECRETS, "GroqApiKey", "GroqBaseUrl", "SearchToken"].toSorted();
    expect(
      Object.fromEntries([...ALL_FUNCTIONS, "Schedule"].map((name) => [name, linksOf(production, name)])),
    ).toEqual({
      Runner: own,
      Api: ["ApiToken"],
      Aggregator: ["AlarmUrl"],
      OrchestratorHandler: [],
      ShardHandler: [],
      Schedule: [],
    });
    expect(linksOf(live, "Runner")).toEqual(own);
    expect(linksOf(pullRequest, "Runner")).toEqual(PROVIDER_SECRETS);
    expect(linksOf(pullRequest, "Aggregator")).toEqual([]);
  });

  test("stand for the variables that the runner is told of", () => {
    expect(variablesOf(production, "Runner").SECRET_VARIABLES?.split(",")).toEqual(EVALS_VARIABLES);
  });

  test("are in no function's environment", () => {
    const environments = allOf(production, "aws:lambda/function:Function").map(
      ({ inputs }) => inputs.environment.variables,
    );
    expect(JSON.stringify(environments)).not.toContain("a-token");
  });

  test("may stay unset, all but the token of the API", async () => {
    expect(production.calls.some(({ args }) => JSON.stringify(args.links)?.includes('"unset"'))).toBe(true);
    await expect(synthesise({ stage: "pr-8", secrets: {} })).rejects.toThrow(/ApiToken/);
  });
});

test("every route leads to the one app, which alone decides on origins", () => {
  for (const [, stage] of each()) {
    expect(only(stage, "aws:apigatewayv2/route:Route")).toMatchObject({
      routeKey: "$default",
      authorizationType: "NONE",
    });
    expect(only(stage, "aws:apigatewayv2/api:Api")).toMatchObject({
      protocolType: "HTTP",
      corsConfiguration: {},
    });
    expect(only(stage, "aws:apigatewayv2/integration:Integration")).toMatchObject({
      integrationType: "AWS_PROXY",
      payloadFormatVersion: "2.0",
      integrationUri: expect.stringContaining(lambda(stage, "Api").name),
    });
  }
});

/** Of definitions, without the clock of alarms. */
const schedulesOf = (stage: Synthesised) =>
  allOf(stage, "aws:scheduler/schedule:Schedule").filter(({ name }) => name.startsWith("Schedule"));

describe("schedules", () => {
  test("are in production alone, one for each definition that has one", () => {
    const schedules = each().map(([, stage]) =>
      schedulesOf(stage).map(({ inputs }) => [
        inputs.scheduleExpression,
        inputs.state,
        JSON.parse(inputs.target.input),
      ]),
    );
    const scheduledAt = "<aws.scheduler.scheduled-time>";
    expect(schedules).toEqual([
      [
        ["cron(0 2 * * ? *)", "ENABLED", { evaluation: "nightly capitals", scheduledAt }],
        ["rate(1 hour)", "ENABLED", { evaluation: "hourly", scheduledAt }],
      ],
      [],
      [],
    ]);
  });

  test("start the function, and leave what they cannot deliver in the failure queue", () => {
    const queue = `arn:aws:sqs:eu-central-1:123456789012:${only(production, "aws:sqs/queue:Queue").name}`;
    for (const { inputs } of schedulesOf(production)) {
      expect(inputs.target).toMatchObject({
        arn: expect.stringContaining(lambda(production, "Schedule").name),
        retryPolicy: { maximumRetryAttempts: 3 },
        deadLetterConfig: { arn: queue },
      });
    }
  });
});

test("asynchronous invocations that are lost wait in the failure queue for two weeks", () => {
  const { name, messageRetentionSeconds } = only(production, "aws:sqs/queue:Queue");
  expect(messageRetentionSeconds).toBe(1_209_600);
  const targetArn = `arn:aws:sqs:eu-central-1:123456789012:${name}`;
  for (const invoked of ["OrchestratorHandler", "Schedule"]) {
    expect(lambda(production, invoked).deadLetterConfig).toEqual({ targetArn });
  }
});

describe("alarms", () => {
  test("are production's, and tell one topic", () => {
    expect(each().map(([, stage]) => allOf(stage, "aws:cloudwatch/metricAlarm:MetricAlarm").length)).toEqual([
      5, 0, 0,
    ]);
    for (const { inputs } of allOf(production, "aws:cloudwatch/metricAlarm:MetricAlarm")) {
      expect(inputs.alarmActions).toEqual([production.outputs.alarms]);
    }
  });

  test.each([
    ["EvaluationStuck", ["RunningEvaluations", "Runs"], 0, 3],
    ["OrchestratorFailed", ["DurableExecutionFailed", "DurableExecutionTimedOut"], 0, 1],
    ["FailureRate", ["InfrastructureFailures", "Runs"], 20, 1],
    ["FailureQueueNotEmpty", ["ApproximateNumberOfMessagesVisible"], 0, 1],
    ["BudgetSpent", ["BudgetStops"], 0, 1],
  ])("%s watches %s", (name, metrics, threshold, evaluationPeriods) => {
    const alarm = only(production, "aws:cloudwatch/metricAlarm:MetricAlarm", name);
    const queries: readonly { metric?: { metricName: string } }[] = alarm.metricQueries ?? [
      { metric: alarm },
    ];
    expect(queries.flatMap(({ metric }) => metric?.metricName ?? [])).toEqual(metrics);
    expect(alarm).toMatchObject({ threshold, evaluationPeriods, comparisonOperator: "GreaterThanThreshold" });
  });
});

test("alarms watch metrics where functions tell them", () => {
  const { METRICS_NAMESPACE: namespace, POWERTOOLS_SERVICE_NAME: service } = variablesOf(
    production,
    "Runner",
  );
  const watched = allOf(production, "aws:cloudwatch/metricAlarm:MetricAlarm")
    .flatMap(
      ({ inputs }) => inputs.metricQueries?.map(({ metric }: { metric?: unknown }) => metric) ?? inputs,
    )
    .filter((metric) => metric !== undefined && !metric.namespace.startsWith("AWS/"));
  expect(watched).toHaveLength(5);
  for (const metric of watched) expect(metric).toMatchObject({ namespace, dimensions: { service } });
});

test("running evaluations are counted by a clock where there are alarms, so that an alarm has its data", () => {
  const clocks = each().map(([, stage]) =>
    allOf(stage, "aws:scheduler/schedule:Schedule").filter(({ name }) => name.startsWith("Watch")),
  );
  expect(clocks.map((found) => found.length)).toEqual([1, 0, 0]);
  const { scheduleExpression, target } = clocks[0]?.[0]?.inputs ?? {};
  expect([scheduleExpression, JSON.parse(target.input)]).toEqual(["rate(5 minutes)", { v: 1, watch: true }]);
  expect(target.arn).toContain(lambda(production, "Aggregator").name);
});

test("the types of what is linked are those in the repository", async () => {
  const committed = await readFile(join(import.meta.dirname, "../../sst-env.d.ts"), "utf8");
  expect(envTypes(pullRequest)).toBe(committed);
});

test("the runner may not call Bedrock when no definition does", () => {
  expect(statementsOf(pullRequest, "Runner")).toHaveLength(PERMISSIONS.Runner.length);
  expect(statementsOf(production, "Runner")).toHaveLength(PERMISSIONS.Runner.length + 1);
});

describe("the dashboard", () => {
  test("is built with the address of the API, which lets its origin in", () => {
    expect(only(production, "command:local:Command", "WebBuilder")).toMatchObject({
      create: "npx vite build --config ../../vite.config.ts",
      dir: expect.stringMatching(/\/src\/web$/),
      environment: { VITE_API_URL: production.outputs.api },
    });
    expect(variablesOf(production, "Api").DASHBOARD_ORIGIN).toBe(production.outputs.dashboard);
    expect(production.outputs.dashboard).toMatch(/^https:\/\/.*cloudfront\.net$/);
  });

  test("runs on the laptop in sst dev", () => {
    expect(allOf(live, "aws:cloudfront/distribution:Distribution")).toEqual([]);
    expect(variablesOf(live, "Api").DASHBOARD_ORIGIN).toBe("http://localhost:5173");
    expect(live.outputs.dashboard).toBe("http://localhost:5173");
  });

  test("is left out of a project that has none, whose API no browser may call", () => {
    expect(allOf(pullRequest, "sst:aws:StaticSite")).toEqual([]);
    expect(variablesOf(pullRequest, "Api").DASHBOARD_ORIGIN).toBe("none");
    expect(allOf(pullRequest, "aws:cloudfront/distribution:Distribution")).toEqual([]);
  });
});

test("whoever deploys is told the addresses", () => {
  const told = each().map(([, { outputs }]) => Object.keys(outputs).filter((name) => !name.startsWith("_")));
  expect(told).toEqual([
    ["alarms", "api", "dashboard", "drift", "failureQueue"],
    ["api", "dashboard", "drift", "failureQueue"],
    ["api", "drift", "failureQueue"],
  ]);
  expect(production.outputs.api).toMatch(/^https:\/\/.*execute-api/);
});
