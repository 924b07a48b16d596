import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { EvaluationView } from "../../../src/api/answers.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { aServer, type Client } from "../../fixtures/cli/a-server.ts";
import { startCli } from "../../fixtures/cli/start-cli.ts";
import { aProject, writeFiles } from "../../fixtures/files/a-project.ts";
import { anEvaluation } from "../../fixtures/records/a-log-entry.ts";
import { PATIENCE } from "../../fixtures/run/patience.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const CAPITALS = readFileSync(evalFile("capitals"), "utf8");
const WAITING = readFileSync(evalFile("waiting"), "utf8");

const view = async (client: Client, id: string) => (await client.get(`/evaluations/${id}`)) as EvaluationView;

async function ended(client: Client, id: string): Promise<EvaluationView> {
  await vi.waitFor(async () => expect((await view(client, id)).status).not.toBe("running"), PATIENCE);
  return view(client, id);
}

async function start(client: Client, request: object): Promise<string> {
  const { id } = (await client.post("/evaluations", request)) as { id: string };
  return id;
}

test("an evaluation is started over HTTP and ends as the command would end it", async () => {
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const { client } = await aServer(cwd);
  expect(await client.get("/definitions")).toMatchObject({
    definitions: [{ name: "capitals", models: ["scripted/steady", "scripted/shaky"], problemCount: 3 }],
  });
  const id = await start(client, {
    evaluation: "capitals",
    trials: 2,
    problemIds: ["peru", "japan"],
    tags: ["mine"],
  });
  const { status, stats, progress, tags, file } = await ended(client, id);
  expect({ status, tags, file }).toEqual({
    status: "finished",
    tags: ["mine"],
    file: "evals/capitals.eval.ts",
  });
  expect(progress).toMatchObject({ total: 8, finished: 8, correct: 4, failed: 2 });
  expect(stats).toMatchObject({
    "scripted/steady": { correct: 4 },
    "scripted/shaky": { wrong: 2, failed: 2 },
  });
  const { logs } = (await client.get(`/evaluations/${id}/logs?cause=provider_error`)) as { logs: LogEntry[] };
  expect(logs.map(({ problemId, trial }) => [problemId, trial])).toEqual([
    ["japan", 1],
    ["japan", 2],
  ]);
});

test("inline problems and other models take the place of the file's", async () => {
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const { client } = await aServer(cwd);
  const id = await start(client, {
    evaluation: "capitals",
    models: ["scripted/steady"],
    problems: [["Capital of Peru?", "Lima"]],
  });
  expect((await ended(client, id)).stats).toEqual({
    "scripted/steady": expect.objectContaining({ planned: 1, correct: 1 }),
  });
});

test.each([
  [{ evaluation: "nobody" }, 404, "definition.unknown"],
  [{ evaluation: "capitals", problemIds: ["atlantis"] }, 422, "problem.unknown"],
  [{ evaluation: "capitals", models: ["nobody/model"] }, 422, "options.invalid"],
  [{ evaluation: "capitals", models: ["openai/gpt-5-mini"] }, 422, "provider.key_missing"],
])("%j is refused, and nothing is stored", async (request, status, code) => {
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const { client } = await aServer(cwd);
  await expect(client.post("/evaluations", request)).rejects.toMatchObject({ status, code });
  expect(await client.get("/evaluations")).toEqual({ evaluations: [], next: null });
});

test("a retry runs what failed in a new round", async () => {
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const { client } = await aServer(cwd);
  const id = await start(client, { evaluation: "capitals" });
  await ended(client, id);
  writeFiles(cwd, { "evals/capitals.eval.ts": CAPITALS.replace('fail: "provider_error"', 'say: "Tokyo"') });
  expect(await client.post(`/evaluations/${id}/retry`, {})).toMatchObject({ id, round: 2 });
  const { status, round, stats } = await ended(client, id);
  expect([status, round]).toEqual(["finished", 2]);
  expect(stats).toMatchObject({ "scripted/shaky": { finished: 3, correct: 2, failed: 0 } });
});

test("of two servers that are asked to go on with one evaluation, one does", async () => {
  const cwd = aProject({ "evals/waiting.eval.ts": WAITING });
  const cli = startCli(["run", "evals/waiting.eval.ts"], { cwd });
  await cli.shows("2/4");
  cli.kill("SIGKILL");
  await cli.exit;
  const servers = await Promise.all([aServer(cwd), aServer(cwd)]);
  const [first] = servers;
  const { evaluations } = (await first.client.get("/evaluations")) as { evaluations: { id: string }[] };
  const path = `/evaluations/${evaluations[0]?.id}/retry`;
  const ends = await Promise.allSettled(servers.map(({ client }) => client.post(path, {})));
  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(ends.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { status: 409, code: "evaluation.running" },
  });
});

describe("cancel", () => {
  test("stops what runs here, and what a command runs elsewhere", async () => {
    const cwd = aProject({ "evals/waiting.eval.ts": WAITING });
    const env = { ENDLESS_MS: "8000" };
    const { client } = await aServer(cwd, env);
    const cli = startCli(["run", "evals/waiting.eval.ts", "--concurrency", "1"], { cwd, env });
    await cli.shows("1/4");
    const { evaluations } = (await client.get("/evaluations?limit=1")) as { evaluations: { id: string }[] };
    const elsewhere = evaluations[0]?.id ?? "";
    const here = await start(client, { evaluation: "waiting", concurrency: 1 });
    await vi.waitFor(async () => expect((await view(client, here)).progress.finished).toBe(1), PATIENCE);
    for (const id of [here, elsewhere]) await client.post(`/evaluations/${id}/cancel`, {});
    await expect(client.post(`/evaluations/${here}/retry`, {})).rejects.toMatchObject({ status: 409 });
    for (const id of [here, elsewhere]) {
      const { status, progress } = await ended(client, id);
      // The run that was under way ended as it is; those after it never started.
      expect([status, progress.finished, progress.failed]).toEqual(["cancelled", 2, 0]);
    }
    expect((await cli.exit).stdout).toContain("--resume");
    await expect(client.post(`/evaluations/${here}/cancel`, {})).rejects.toMatchObject({
      status: 409,
      code: "evaluation.not_running",
    });
  });

  test("ends the record of an evaluation whose process is gone", async () => {
    const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
    const store = await openSqliteStore(join(cwd, ".agent-evaluator"));
    const dead = anEvaluation({ problemCount: 0, owner: `${hostname()}:999999999` });
    await store.createEvaluation(dead, []);
    await store.close();
    const { client } = await aServer(cwd);
    expect(await client.post(`/evaluations/${dead.id}/cancel`, {})).toMatchObject({ status: "cancelled" });
  });
});

test("Ctrl-C ends the server and what it runs, and keeps what was finished", async () => {
  const cwd = aProject({ "evals/waiting.eval.ts": WAITING });
  const { client, cli } = await aServer(cwd);
  const id = await start(client, { evaluation: "waiting", concurrency: 1 });
  await vi.waitFor(async () => expect((await view(client, id)).progress.finished).toBe(1), PATIENCE);
  cli.kill("SIGINT");
  expect((await cli.exit).code).toBe(130);
  const store = await openSqliteStore(join(cwd, ".agent-evaluator"));
  expect(await store.listEvaluations()).toMatchObject([{ id, status: "cancelled", owner: null }]);
  await store.close();
});

test("an idle server ends with success, and tells a port that is taken", async () => {
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const { url, cli } = await aServer(cwd);
  const { port } = new URL(url);
  const second = await startCli(["serve", "--port", port], { cwd }).exit;
  expect([second.code, second.stderr]).toEqual([2, expect.stringContaining(`Port ${port} is in use`)]);
  cli.kill("SIGINT");
  expect((await cli.exit).code).toBe(0);
});

test("an empty folder is told what to do, and what is written then is served", async () => {
  const cwd = aProject();
  const { client, cli } = await aServer(cwd);
  expect(cli.printed()).toMatch(
    /No evaluation in evals can be started yet\. node .*main\.ts init writes one/,
  );
  expect(await client.get("/definitions")).toEqual({ definitions: [] });
  writeFiles(cwd, { "evals/capitals.eval.ts": CAPITALS });
  await vi.waitFor(
    async () =>
      expect(await client.get("/definitions")).toMatchObject({ definitions: [{ name: "capitals" }] }),
    PATIENCE,
  );
});

test("a file that does not load takes no other away", async () => {
  const cwd = aProject({
    "evals/capitals.eval.ts": CAPITALS,
    "evals/broken.eval.ts": 'throw new Error("not today");',
    "evals/wrong.eval.ts": "export default { name: 1 };",
  });
  const { client, cli } = await aServer(cwd);
  expect(await client.get("/definitions")).toMatchObject({ definitions: [{ name: "capitals" }] });
  expect(cli.printed()).toContain(
    "warning: evals/broken.eval.ts threw while it was loaded:\nError: not today\n    at evals/broken.eval.ts:1:7\n",
  );
  expect(cli.printed()).toContain(
    "warning: evals/wrong.eval.ts: the evaluation's options are not valid:\n  name: ",
  );
});
