import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { aServer } from "../../fixtures/cli/a-server.ts";
import { runCli, startCli } from "../../fixtures/cli/start-cli.ts";
import { terminalPicture } from "../../fixtures/cli/terminal-picture.ts";
import { aProject, writeFiles } from "../../fixtures/files/a-project.ts";
import { PATIENCE } from "../../fixtures/run/patience.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const CAPITALS = readFileSync(evalFile("capitals"), "utf8");
const WAITING = readFileSync(evalFile("waiting"), "utf8");
const TERMINAL = ["--import", `${import.meta.dirname}/../../fixtures/cli/pretend-terminal.ts`];

/** A server, and a reader's own folder, where nothing is stored. */
async function aPair(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const cwd = aProject(files);
  const server = await aServer(cwd, env);
  const remote = ["--remote", server.url];
  const there = { cwd: aProject(files), env: { AGENT_EVALUATOR_TOKEN: server.token } };
  return { ...server, cwd, remote, there };
}

/** Times and ids differ from one evaluation to the next. */
const mask = (text: string): string =>
  text
    .replaceAll(/capitals-[0-9a-z]+/g, "ID")
    .replaceAll(/ --remote \S+/g, "")
    .replaceAll(/\d+(?:\.\d+)?m?s\b/g, "TIME")
    .replaceAll(/ +/g, " ");

const lines = (text: string): string[] => mask(text).split("\n");

test("run --remote shows what a run here would show, line by line", async () => {
  const { remote, there } = await aPair({ "evals/capitals.eval.ts": CAPITALS });
  const far = await runCli(["run", "evals/capitals.eval.ts", ...remote], there);
  expect([far.code, far.stderr]).toEqual([0, ""]);
  const near = await runCli(["run", "evals/capitals.eval.ts"], there);
  const ours = lines(near.stdout).filter((line) => !line.includes("was asked"));
  // Runs end in any order, so their numbered lines are compared as a set.
  const isRun = (line: string) => /^\d\/6/.test(line);
  const unnumbered = (all: string[]) =>
    all
      .filter(isRun)
      .map((line) => line.slice(3))
      .sort();
  expect(unnumbered(lines(far.stdout))).toEqual(unnumbered(ours));
  expect(lines(far.stdout).filter((line) => !isRun(line))).toEqual(ours.filter((line) => !isRun(line)));
});

test("flags of run --remote choose what runs there", async () => {
  const { remote, there } = await aPair({ "evals/capitals.eval.ts": CAPITALS });
  const flags = ["--model", "scripted/steady", "--limit", "2", "--trials", "2", "--timeout", "9", "--json"];
  const { code, stdout } = await runCli(["run", "evals/capitals.eval.ts", ...remote, ...flags], there);
  const { evaluation, stats, logs } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(evaluation).toMatchObject({ status: "finished", trials: 2, limits: { timeoutSeconds: 9 } });
  expect(stats).toMatchObject({ "scripted/steady": { finished: 4, correct: 4 } });
  expect(logs.map((log: { problemId: string }) => log.problemId)).toEqual([
    "france",
    "france",
    "peru",
    "peru",
  ]);
});

test("--min-accuracy holds for what runs elsewhere", async () => {
  const { remote, there } = await aPair({ "evals/capitals.eval.ts": CAPITALS });
  const flags = ["--quiet", "--min-accuracy", "0.9"];
  const { code, stderr } = await runCli(["run", "evals/capitals.eval.ts", ...remote, ...flags], there);
  expect([code, stderr]).toEqual([3, expect.stringContaining("scripted/shaky: accuracy")]);
});

test("a budget that is spent elsewhere is exit 4, for run --remote and for watch", async () => {
  const { remote, there } = await aPair({ "evals/capitals.eval.ts": CAPITALS });
  const flags = ["--quiet", "--concurrency", "1", "--budget-tokens", "1"];
  expect((await runCli(["run", "evals/capitals.eval.ts", ...remote, ...flags], there)).code).toBe(4);
  expect((await runCli(["watch", "--quiet", ...remote], there)).code).toBe(4);
});

test("run --resume --remote retries what failed there", async () => {
  const { remote, there } = await aPair({ "evals/capitals.eval.ts": CAPITALS });
  await runCli(["run", "evals/capitals.eval.ts", "--quiet", ...remote], there);
  const { stdout } = await runCli(["run", "--resume", "capitals", "--json", ...remote], there);
  const { evaluation, logs } = JSON.parse(stdout);
  expect(evaluation).toMatchObject({ status: "finished", round: 2 });
  expect(logs.map((log: { round: number }) => log.round)).toEqual([1, 1, 1, 1, 1, 2]);
});

test("run --resume --remote with more adds to an evaluation there, and says what is kept and what is new", async () => {
  const { remote, there, client } = await aPair({ "evals/capitals.eval.ts": CAPITALS });
  const file = "evals/capitals.eval.ts";
  const start = ["run", file, "--model", "scripted/steady", "--limit", "2", "--json", ...remote];
  const { evaluation: first } = JSON.parse((await runCli(start, there)).stdout);
  const more = ["--resume", first.id, "--trials", "2", "--problem", "japan", "--json", ...remote];
  const { code, stdout, stderr } = await runCli(["run", ...more], there);
  const { evaluation, logs } = JSON.parse(stdout);
  expect([code, stderr]).toEqual([
    0,
    `+ 2 runs of ${first.id} are kept, 4 are new; together they are ${evaluation.id}\n`,
  ]);
  expect(evaluation).toMatchObject({ grownFrom: first.id, trials: 2, problemCount: 3, status: "finished" });
  expect(logs).toHaveLength(6);
  expect(await client.get(`/evaluations/${first.id}`)).toMatchObject({ trials: 1, round: 1 });

  // All of the file is there: an ordinary resume.
  const again = await runCli(["run", "--resume", evaluation.id, "--trials", "2", "--json", ...remote], there);
  expect([again.stderr, JSON.parse(again.stdout).evaluation]).toEqual([
    "",
    expect.objectContaining({ id: evaluation.id, round: 2 }),
  ]);
  const limited = await runCli(["run", "--resume", evaluation.id, "--limit", "3", ...remote], there);
  expect([limited.code, limited.stderr]).toEqual([2, expect.stringContaining("name it too")]);
});

test("check --remote judges what is stored there with the checker that is there now", async () => {
  const project = aProject({ "evals/capitals.eval.ts": CAPITALS });
  const { url, token } = await aServer(project);
  const remote = ["--remote", url];
  const there = {
    cwd: aProject({ "evals/capitals.eval.ts": CAPITALS }),
    env: { AGENT_EVALUATOR_TOKEN: token },
  };
  const first = JSON.parse(
    (await runCli(["run", "evals/capitals.eval.ts", "--json", ...remote], there)).stdout,
  );
  writeFiles(project, {
    "evals/capitals.eval.ts": CAPITALS.replace("result === expected", "result !== expected"),
  });
  const plain = await runCli(["check", first.evaluation.id, ...remote], there);
  expect([plain.code, plain.stderr]).toEqual([0, ""]);
  expect(plain.stdout).toContain("6/6");
  expect(plain.stdout).toContain("5 runs checked again: 5 verdicts changed.\n");
  const { evaluation, stats } = JSON.parse(
    (await runCli(["show", first.evaluation.id, "--json", ...remote], there)).stdout,
  );
  expect(evaluation).toMatchObject({ round: 2, status: "finished", recheck: { round: 2, unchecked: 0 } });
  expect(stats["scripted/steady"]).toMatchObject({ correct: 0, wrong: 3 });
  const withFile = await runCli(["check", first.evaluation.id, "evals/capitals.eval.ts", ...remote], there);
  expect([withFile.code, withFile.stderr]).toEqual([
    2,
    expect.stringContaining("With --remote the deployed checker is used; leave"),
  ]);
});

describe("watch", () => {
  test("follows what runs there with a bar per model, and Ctrl-C leaves it running", async () => {
    const { remote, there, client } = await aPair({ "evals/waiting.eval.ts": WAITING });
    const { id } = (await client.post("/evaluations", { evaluation: "waiting" })) as { id: string };
    const cli = startCli(["watch", id, ...remote], { ...there, nodeFlags: TERMINAL });
    await vi.waitFor(() => {
      const picture = terminalPicture(cli.printed()).join("\n");
      expect(picture).toMatch(/waiting {2}2 of 4 runs/);
      expect(picture).toMatch(/scripted\/quick .*2\/2/);
    }, PATIENCE);
    cli.kill("SIGINT");
    const { code, stderr } = await cli.exit;
    expect(code).toBe(130);
    expect(stderr).toContain(`watch ${id} --remote`);
    expect(await client.get(`/evaluations/${id}`)).toMatchObject({ status: "running" });
  });

  test("ends when the process that ran it there is gone, and says so", async () => {
    const { remote, there, client, cwd } = await aPair({ "evals/waiting.eval.ts": WAITING });
    const run = startCli(["run", "evals/waiting.eval.ts", "--concurrency", "1"], { cwd });
    await run.shows("1/4");
    run.kill("SIGKILL");
    await run.exit;
    const watched = await runCli(["watch", ...remote], there);
    expect([watched.code, watched.stdout]).toEqual([1, expect.stringContaining("broke after 1 of 4 runs")]);
    expect((await runCli(["list", ...remote], there)).stdout).toMatch(/ broken /);
    expect(await client.get("/evaluations?status=running")).toMatchObject({ evaluations: [] });
  });

  test("ends when another process that uses this store has ended", async () => {
    const cwd = aProject({ "evals/waiting.eval.ts": WAITING });
    const env = { ENDLESS_MS: "3000" };
    const run = startCli(["run", "evals/waiting.eval.ts", "--concurrency", "2"], { cwd, env });
    await run.shows("1/4");
    const { code, stdout } = await runCli(["watch", "--quiet"], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining("scripted/quick")]);
    expect((await run.exit).code).toBe(0);
  });
});

test("show, show --logs, show --run, their --json and list say the same as where it is stored", async () => {
  const cwd = aProject({ "evals/capitals.eval.ts": CAPITALS });
  await runCli(["run", "evals/capitals.eval.ts", "--quiet"], { cwd });
  const { url, token } = await aServer(cwd);
  const there = { cwd: aProject(), env: { AGENT_EVALUATOR_TOKEN: token } };
  const { logs } = JSON.parse((await runCli(["show", "--json"], { cwd })).stdout);
  const run = ["show", "--run", logs[0].runId.slice(0, 8)];
  const asked = [
    ["show"],
    ["show", "--logs"],
    ["show", "--failed"],
    ["show", "--json"],
    run,
    [...run, "--json"],
    ["list"],
    ["list", "--json"],
  ];
  for (const args of asked) {
    const [near, far] = await Promise.all([runCli(args, { cwd }), runCli([...args, "--remote", url], there)]);
    expect([args, far.code, far.stderr]).toEqual([args, 0, ""]);
    const told = args.includes("--json") ? (text: string) => JSON.parse(text) : mask;
    expect([args, told(far.stdout)]).toEqual([args, told(near.stdout)]);
  }
});

test.each([
  [
    ["list", "--remote", "http://example.com"],
    "--remote expects a URL: https://…, or http:// on this machine",
  ],
  [["list", "--remote", "nonsense"], "--remote expects a URL"],
  [["list", "--remote", "http://127.0.0.1:9", "--store", "x"], "--store and --remote do not go together."],
  [
    ["run", "x", "--remote", "http://127.0.0.1:9", "--isolation", "none"],
    "--isolation and --remote do not go",
  ],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await runCli(args, { cwd: aProject() });
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
});

test("a token is asked for only where a server asks for it", async () => {
  const { url } = await aServer(aProject());
  const [asked, nobody] = await Promise.all(
    [url, "http://127.0.0.1:9"].map((remote) => runCli(["list", "--remote", remote], { cwd: aProject() })),
  );
  expect(asked).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${url} requires a token; set AGENT_EVALUATOR_TOKEN`),
  });
  expect(nobody).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("http://127.0.0.1:9 cannot be reached"),
  });
});

test("a wrong token and an unknown evaluation are told plainly", async () => {
  const { remote, there } = await aPair({ "evals/capitals.eval.ts": CAPITALS });
  const wrong = await runCli(["list", ...remote, "--token", "not-the-token-at-all"], there);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("refuses the token")]);
  const unknown = await runCli(["show", "nobody", ...remote], there);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('No evaluation "nobody"')]);
});
