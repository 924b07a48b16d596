import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { packDefinitions } from "../../src/deploy/pack-definitions.ts";
import { METRICS } from "../../src/domain/cloud/settings.ts";
import { EvaluationId } from "../../src/domain/ids.ts";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type AwsServers, startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { type LambdaServer, startLambdaServer } from "../fixtures/aws/lambda-server.ts";
import { buildFunction } from "../fixtures/functions/build-function.ts";
import { functionVariables } from "../fixtures/functions/function-variables.ts";
import { http } from "../fixtures/functions/http-event.ts";
import { invokeFunction } from "../fixtures/functions/invoke-function.ts";
import { isAlive } from "../fixtures/processes/process-tree.ts";

const evals = join(import.meta.dirname, "../fixtures/deployed/evals");
const MB = 1024 * 1024;
const names = ["api", "orchestrator", "runner", "aggregator", "schedule"] as const;
type Name = (typeof names)[number];

/** The definitions are packed for the place they will be in, which in Lambda is always the same. */
const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-evaluator-functions-")));
const sizes = new Map<Name, number>();
let aws: AwsServers;
let lambda: LambdaServer;
let table: string;
let store: Store;
let variables: Record<string, string>;

beforeAll(async () => {
  [aws, lambda] = await Promise.all([startAwsServers(), startLambdaServer()]);
  table = await aws.createTable();
  store = dynamoStore({ dynamo: aws.dynamo, table, s3: aws.s3, bucket: "bodies" });
  const built = await Promise.all(names.map((name) => buildFunction(name, root)));
  for (const [place, name] of names.entries()) sizes.set(name, built[place] ?? 0);
  console.info([...sizes].map(([name, size]) => `${name} ${(size / MB).toFixed(2)} MB`).join(", "));
  await packDefinitions(join(evals, "index.ts"), root, root);
  variables = functionVariables(aws, lambda, table);
}, 600_000);

afterAll(async () => {
  await Promise.all([aws.stop(), lambda.stop()]);
  rmSync(root, { recursive: true, force: true });
});

const invoke = (name: Name, events: readonly unknown[], handler?: string) =>
  invokeFunction(name, root, variables, events, handler);

test.each(names)("the code of %s is small enough to start quickly", (name) => {
  const size = sizes.get(name) ?? 0;
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThan(4 * MB);
});

test("an evaluation goes through the deployed functions from request to stats", async () => {
  const posted = await invoke("api", [
    http("GET", "/health", { token: null }),
    http("GET", "/evaluations", { token: "wrong" }),
    http("POST", "/evaluations", { body: { evaluation: "capitals", trials: 2 } }),
    http("POST", "/evaluations", { body: { evaluation: "capitals", limits: { timeoutSeconds: 900 } } }),
    http("POST", "/evaluations", { body: { evaluation: "capitals", models: ["bedrock/nova"] } }),
    http("POST", "/evaluations", { body: { evaluation: "capitals", concurrency: 9 } }),
    http("GET", "/definitions"),
  ]);
  expect(posted.answers).toMatchObject([
    { statusCode: 200 },
    { statusCode: 401 },
    { statusCode: 202 },
    { statusCode: 422 },
    { statusCode: 422 },
    { statusCode: 422 },
    { statusCode: 200 },
  ]);
  const { id } = bodyOf(posted.answers[2]) as { id: string };
  const evaluationId = EvaluationId.parse(id);
  const started = { v: 1, evaluationId, round: 1 };
  expect(lambda.invocations).toEqual([{ name: `${id}-1`, type: "Event", payload: started }]);

  const runs = [0, 1, 2, 3].map((run) => ({ ...started, run }));
  const packed = await readdir(root, { recursive: true });
  const ran = await invoke("runner", [...runs, { ...started, run: 0 }]);
  // In Lambda nothing can be written there.
  expect((await readdir(root, { recursive: true })).toSorted()).toEqual(packed.toSorted());
  expect(ran.answers).toEqual(["ended", "ended", "ended", "ended", "ended"]);
  expect(emitted(ran.log, METRICS.runs)).toBe(4);

  const entries = await Array.fromAsync(store.entries(evaluationId));
  expect(entries.map(({ correct, failure }) => [correct, failure])).toEqual([
    [true, null],
    [true, null],
    [false, null],
    [false, null],
  ]);
  expect(entries[0]?.result).toMatchObject({ value: "Paris", seen: [] });
  expect(new Set(entries.map(({ pid }) => pid)).size).toBe(4);

  const folded = await invoke("aggregator", [
    { v: 1, watch: true },
    { ...started, shard: 0 },
    { ...started, shard: null },
    { ...started, alarm: true },
    { v: 1, watch: true },
  ]);
  const whole = { finished: 4, failed: 0, missing: 0 };
  expect(folded.answers).toEqual([null, whole, whole, null, null]);
  expect(valuesOf(folded.log, METRICS.running)).toEqual([1, 0]);
  const shown = await invoke("api", [http("GET", `/evaluations/${id}`)]);
  expect(bodyOf(shown.answers[0])).toMatchObject({
    status: "finished",
    stats: { "scripted/atlas": { finished: 4, correct: 2 } },
  });
});

test("a run that does not end is ended before its Lambda is, with an entry", async () => {
  const posted = await invoke("api", [
    http("POST", "/evaluations", { body: { evaluation: "capitals", problems: ["nowhere"] } }),
  ]);
  const { id } = bodyOf(posted.answers[0]) as { id: string };
  const evaluationId = EvaluationId.parse(id);
  const event = { v: 1, evaluationId, round: 1, run: 0 };
  // All but the last ten seconds of an invocation are the run's.
  const given = { ...variables, REMAINING_MS: "17000" };
  const { answers } = await invokeFunction("runner", root, given, [event, event]);
  expect(answers).toEqual(["ended", "ended"]);
  const [entry, ...others] = await Array.fromAsync(store.entries(evaluationId));
  expect(others).toEqual([]);
  expect(entry?.failure).toMatchObject({ cause: "rate_limited", fault: "infrastructure" });
  expect(entry?.runtimeSeconds).toBeLessThan(17);
  expect(isAlive(entry?.pid ?? 0)).toBe(false);
});

test("in sst dev functions run the evaluations of the project, as they are", async () => {
  const live = await liveFolder();
  await Promise.all([buildFunction("api", live), buildFunction("runner", live)]);
  const given = { ...variables, LAMBDA_TASK_ROOT: live, DEFINITIONS: join(evals, "index.ts") };
  const posted = await invokeFunction("api", live, given, [
    http("POST", "/evaluations", { body: { evaluation: "capitals" } }),
  ]);
  const { id } = bodyOf(posted.answers[0]) as { id: string };
  const evaluationId = EvaluationId.parse(id);
  const ran = await invokeFunction("runner", live, given, [{ v: 1, evaluationId, round: 1, run: 0 }]);
  expect(ran.answers).toEqual(["ended"]);
  const [entry] = await Array.fromAsync(store.entries(evaluationId, { fromIndex: 0, toIndex: 1 }));
  expect(entry).toMatchObject({ correct: true, failure: null });
});

test("a schedule that is delivered twice starts one evaluation", async () => {
  const event = { evaluation: "capitals", scheduledAt: "2026-11-18T06:00:00Z" };
  const { answers } = await invoke("schedule", [
    event,
    event,
    { ...event, scheduledAt: "2026-11-19T06:00:00Z" },
  ]);
  const [first, second, third] = answers as { id: string }[];
  expect(second).toEqual(first);
  expect(third).not.toEqual(first);
  expect(first?.id).toMatch(/^capitals-20261118t0600-[0-9a-f]{6}$/);
});

test.each(["handler", "shardHandler"])(
  "the orchestrator's %s starts, and refuses what is no execution",
  async (name) => {
    const { answers } = await invoke("orchestrator", [{ v: 1 }], name);
    expect(answers).toEqual([{ thrown: expect.stringMatching(/durable/i) }]);
  },
);

/** Where SST puts a live function: inside of the project, beside its packages. */
async function liveFolder(): Promise<string> {
  const project = join(import.meta.dirname, "../..");
  await mkdir(join(project, ".sst"), { recursive: true });
  const folder = await mkdtemp(join(project, ".sst/live-"));
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const bodyOf = (answer: unknown): unknown => JSON.parse((answer as { body: string }).body);

/** The sum of a metric over the log's lines. */
const emitted = (log: readonly string[], metric: string): number =>
  valuesOf(log, metric).reduce((sum, value) => sum + value, 0);

const valuesOf = (log: readonly string[], metric: string): number[] =>
  log
    .filter((line) => line.includes('"_aws"'))
    .map((line) => (JSON.parse(line) as Record<string, unknown>)[metric])
    .filter((value) => typeof value === "number");
