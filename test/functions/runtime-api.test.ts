import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openDefinitions } from "../../src/deploy/definitions.ts";
import { packDefinitions } from "../../src/deploy/pack-definitions.ts";
import { cloudEngine } from "../../src/engine/cloud/cloud-engine.ts";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { type AwsServers, startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { type LambdaServer, startLambdaServer } from "../fixtures/aws/lambda-server.ts";
import { noExecutions } from "../fixtures/cloud/idle-executions.ts";
import { someMeans } from "../fixtures/cloud/runner-means.ts";
import { buildFunction } from "../fixtures/functions/build-function.ts";
import { functionVariables } from "../fixtures/functions/function-variables.ts";
import { startRuntimeApi } from "../fixtures/functions/runtime-api.ts";

if (process.env.LAMBDA_RUNTIME_CLIENT === undefined)
  console.info(
    "LAMBDA_RUNTIME_CLIENT is not set: the runner was tried under a runtime of ours, not under AWS's",
  );

const evals = join(import.meta.dirname, "../fixtures/hostile/evals");
const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-evaluator-runtime-")));
let aws: AwsServers;
let lambda: LambdaServer;
let table: string;
let store: Store;

beforeAll(async () => {
  [aws, lambda] = await Promise.all([startAwsServers(), startLambdaServer()]);
  table = await aws.createTable();
  store = dynamoStore({ dynamo: aws.dynamo, table, s3: aws.s3, bucket: "bodies" });
  await buildFunction("runner", root);
  await packDefinitions(join(evals, "index.ts"), root, root);
}, 600_000);

afterAll(async () => {
  await Promise.all([aws.stop(), lambda.stop()]);
  rmSync(root, { recursive: true, force: true });
});

/** An environment of Lambda in which the deployed runner serves the runs of one evaluation. */
async function anEnvironment(evaluation: string, problems: (port: string) => readonly string[]) {
  const api = await startRuntimeApi();
  onTestFinished(() => api.stop());
  const engine = cloudEngine({
    ...{ store, executions: noExecutions, runner: someMeans, clock: systemClock, random: Math.random },
    definitions: () => openDefinitions(join(root, "definitions")),
  });
  const [, port = ""] = api.address.split(":");
  const { id } = await engine.start({ evaluation, problems: [...problems(port)] });
  await api.start("runner.handler", root, functionVariables(aws, lambda, table));
  return {
    asked: api.asked,
    invoke: (run: number) => api.invoke({ v: 1, evaluationId: id, round: 1, run, seal: "seal" }),
    entries: () => Array.fromAsync(store.entries(id)),
  };
}

const NEXT = "200 GET /2018-06-01/runtime/invocation/next";
const answered = (run: number) => `202 POST /2018-06-01/runtime/invocation/request-${run}/response`;

test("an agent reaches Lambda's Runtime API by no way that it has", async () => {
  const { invoke, entries, asked } = await anEnvironment("takes-over", (port) => [port, `${port} again`]);
  expect([await invoke(0), await invoke(1)]).toEqual([{ answer: "ended" }, { answer: "ended" }]);
  expect(asked).toEqual([NEXT, answered(1), NEXT, answered(2)]);
  const found = await entries();
  expect(found).toMatchObject([{ failure: null }, { failure: null }]);
  for (const { result } of found) expect(new Set(Object.values(Object(result)))).toEqual(new Set(["EACCES"]));
});

test("a program that answers for its runner and takes the next run changes none: both have their own entries", async () => {
  const problems = (port: string) => [`${port} over-budget`, port];
  const { invoke, entries } = await anEnvironment("programs-take-over", problems);
  expect(await invoke(0)).toEqual({ answer: "over-budget" });
  expect(await invoke(1)).toEqual({ answer: "ended" });
  expect(await entries()).toMatchObject([
    { index: 0, result: "202 and took run 1", failure: null },
    { index: 1, result: "honest", failure: null },
  ]);
});
