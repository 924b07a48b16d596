import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runCli, startCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { commandOf, descendantsOf, isAlive } from "../../fixtures/processes/process-tree.ts";
import { PATIENCE } from "../../fixtures/run/patience.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const FILE = evalFile("waiting");
const QUICK_AND_SLOW = ["--model", "scripted/quick", "--model", "scripted/slow"];

/** Two runs have ended, two never will. */
async function startWaiting(cwd: string, ...flags: string[]) {
  const cli = startCli(["run", FILE, ...flags], { cwd });
  await cli.shows("1/4");
  await cli.shows("2/4");
  return cli;
}

test("Ctrl-C keeps finished runs, says how to resume, and leaves nothing running", async () => {
  const cwd = aProject();
  const cli = await startWaiting(cwd);
  const below = descendantsOf(cli.pid);
  cli.kill("SIGINT");
  const { code, stdout, stderr } = await cli.exit;
  expect(code).toBe(130);
  expect(stderr).toBe("Stopping; finished runs are kept. Once more to stop at once.\n");
  expect(stdout).toContain("waiting  stopped after 2 of 4 runs");
  await vi.waitUntil(() => !below.some(isAlive), PATIENCE);
  const resume = /^node \S+main\.ts run (\S+) --resume (\S+) +resume it$/m.exec(stdout);
  const [, file = "", id = ""] = resume ?? [];

  const resumed = await runCli(["run", file, "--resume", id], { cwd, env: { ENDLESS_MS: "0" } });
  expect(resumed.stdout).toContain("waiting  4 runs of 2 models, 2 of them done before");
  expect(resumed.stdout.match(/^\d\/4 /gm)).toEqual(["3/4 ", "4/4 "]);
  expect(resumed.stdout).toContain("waiting  4 runs finished");
  expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
});

test("Ctrl-C with --json leaves one document on stdout and says on stderr how to resume", async () => {
  const cwd = aProject();
  const cli = startCli(["run", FILE, "--json"], { cwd });
  await vi.waitUntil(() => descendantsOf(cli.pid).length >= 4, PATIENCE);
  cli.kill("SIGINT");
  const { code, stdout, stderr } = await cli.exit;
  expect(JSON.parse(stdout).evaluation).toMatchObject({ name: "waiting", status: "cancelled" });
  expect(stderr).toMatch(/^Stopping; .*\nResume with: node \S+main\.ts run \S+ --resume waiting-\w+\n$/);
  expect(code).toBe(130);
});

const FAILS_THEN_WAITS = `import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "again",
  models: [["scripted", "one"]],
  problems: ["right", "lost", "lost too", "lost as well"],
  concurrency: 1,
  isolation: "none",
  scripts: { one: [{ say: "right" }] },
  buildAgent: (_provider, _model, _tools, problem) => ({ signal }) => {
    if (problem === "right") return "right";
    if (process.env.WAITS === undefined) return null;
    console.error("the retry waits");
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  },
  resultChecker: (result) => result === "right",
});
`;

test("a retry that was stopped has one accuracy in all that is said of it", async () => {
  const cwd = aProject({ "again.eval.ts": FAILS_THEN_WAITS });
  const first = JSON.parse((await runCli(["run", "again.eval.ts", "--json"], { cwd })).stdout);
  expect(first.stats["scripted/one"]).toMatchObject({ accuracy: 1 / 4, failuresByCause: { no_answer: 3 } });
  const again = ["run", "again.eval.ts", "--resume", first.evaluation.id, "--retry-failed", "--json"];
  const cli = startCli(again, { cwd, env: { WAITS: "1" } });
  await cli.shows("the retry waits");
  cli.kill("SIGINT");
  const { stats, report, logs } = JSON.parse((await cli.exit).stdout);
  // One of the three was running again; the two others still have what they left before.
  expect(logs).toHaveLength(4);
  expect(stats["scripted/one"].accuracy).toBe(1 / 3);
  expect(report.models["scripted/one"]).toMatchObject({ problems: 3, accuracy: { value: 1 / 3 } });
});

const SLOW_TO_STOP = `import { spawn } from "node:child_process";
import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "stuck",
  models: [["scripted", "one"]],
  problems: ["a"],
  permissions: { spawn: true },
  buildAgent: () => () => {
    spawn("sleep", ["600"], { detached: true, stdio: "inherit" }).on("spawn", () => console.log("holds on"));
    return new Promise(() => setInterval(() => {}, 1_000));
  },
  resultChecker: () => true,
});
`;

test("a second Ctrl-C stops at once, and says how to resume", async () => {
  const cwd = aProject({ "stuck.eval.ts": SLOW_TO_STOP });
  const cli = startCli(["run", "stuck.eval.ts"], { cwd });
  await vi.waitUntil(
    () => descendantsOf(cli.pid).some((pid) => commandOf(pid).startsWith("sleep")),
    PATIENCE,
  );
  const below = descendantsOf(cli.pid);
  let isOver = false;
  void cli.exit.then(() => {
    isOver = true;
  });
  // Twice in half a second is an echo of npm's, and no second one.
  await vi.waitUntil(() => {
    cli.kill("SIGINT");
    return isOver;
  }, PATIENCE);
  const { code, stderr } = await cli.exit;
  expect(stderr).toMatch(
    /^Stopping; .*\nResume with: node \S+main\.ts run stuck\.eval\.ts --resume stuck-\w+\n$/,
  );
  expect(code).toBe(130);
  await vi.waitUntil(() => !below.some(isAlive), PATIENCE);
});

test("a resume that is stopped before it began says how to resume", async () => {
  const text = (more: string) => FAILS_THEN_WAITS.replace("export default", `${more}\nexport default`);
  const cwd = aProject({ "again.eval.ts": text("") });
  const first = JSON.parse((await runCli(["run", "again.eval.ts", "--json"], { cwd })).stdout);
  writeFileSync(
    join(cwd, "again.eval.ts"),
    text('console.log("loading"); await new Promise(() => setInterval(() => {}, 1_000));'),
  );
  const cli = startCli(["run", "--resume", first.evaluation.id], { cwd });
  await cli.shows("loading");
  cli.kill("SIGINT");
  const { code, stderr } = await cli.exit;
  expect(stderr).toContain(`Resume with: node `);
  expect(stderr).toContain(`run again.eval.ts --resume ${first.evaluation.id}\n`);
  expect(code).toBe(130);
});

test("SIGTERM stops like Ctrl-C and exits with 143", async () => {
  const cli = await startWaiting(aProject());
  cli.kill("SIGTERM");
  const { code, stdout } = await cli.exit;
  expect(stdout).toContain("waiting  stopped after 2 of 4 runs");
  expect(code).toBe(143);
});

test("an evaluation whose process was killed is shown as interrupted and resumes without its file's name", async () => {
  const cwd = aProject();
  const cli = await startWaiting(cwd);
  cli.kill("SIGKILL");
  await cli.exit;
  expect((await runCli(["list"], { cwd })).stdout).toMatch(/^waiting-\w+ +interrupted /m);
  const [listed, shown] = await Promise.all(
    [["list"], ["show", "waiting"]].map((words) => runCli([...words, "--json"], { cwd })),
  );
  expect(JSON.parse(listed?.stdout ?? "")).toMatchObject({ evaluations: [{ status: "interrupted" }] });
  expect(JSON.parse(shown?.stdout ?? "")).toMatchObject({ evaluation: { status: "interrupted" } });
  const { code, stdout } = await runCli(["run", "--resume", "waiting"], { cwd, env: { ENDLESS_MS: "0" } });
  expect(stdout.match(/^\d\/4 /gm)).toEqual(["3/4 ", "4/4 "]);
  expect(stdout).toMatch(/^waiting {2}4 runs finished, 2 of them now in [\d.]+m?s$/m);
  expect(code).toBe(0);
});

test("watch ends with 1 when the evaluation's process was killed, and says how to go on", async () => {
  const cwd = aProject();
  const cli = await startWaiting(cwd);
  const watching = startCli(["watch", "waiting"], { cwd });
  await watching.shows("2 of them done before");
  cli.kill("SIGKILL");
  const { code, stdout, stderr } = await watching.exit;
  expect(stderr).toMatch(
    /^The process of the evaluation is gone\. Resume with: node .* --resume waiting-\w+\n$/,
  );
  expect(stdout).toContain("2 of 4 runs so far");
  expect(code).toBe(1);
});

test("a stopped watch does not claim that a killed evaluation goes on", async () => {
  const cwd = aProject();
  const cli = await startWaiting(cwd);
  const watching = startCli(["watch", "waiting"], { cwd });
  await watching.shows("2 of them done before");
  cli.kill("SIGKILL");
  await cli.exit;
  watching.kill("SIGTERM");
  const { code, stderr } = await watching.exit;
  expect(stderr).toContain("The process of the evaluation is gone. Resume with:");
  expect(stderr).not.toContain("goes on");
  expect([1, 143]).toContain(code);
});

test("a definition that never comes to its end does not hold Ctrl-C", async () => {
  const text =
    'console.log("loading");\nawait new Promise(() => setInterval(() => {}, 1_000));\nexport default {};';
  const cli = startCli(["run", "a.eval.ts"], { cwd: aProject({ "a.eval.ts": text }) });
  await cli.shows("loading");
  cli.kill("SIGINT");
  expect((await cli.exit).code).toBe(130);
});

test("a signal from a broken pipe to a child stops nothing", async () => {
  const cli = startCli(["run", FILE, ...QUICK_AND_SLOW], { cwd: aProject() });
  await cli.shows("scripted/quick");
  cli.kill("SIGPIPE");
  const { code, stdout } = await cli.exit;
  expect(stdout).toContain("4 runs finished");
  expect(code).toBe(0);
});

test("output that nobody reads any more stops the evaluation and keeps what is done", async () => {
  const cwd = aProject();
  const cli = startCli(["run", FILE, ...QUICK_AND_SLOW, "--trials", "20"], { cwd });
  await cli.shows("scripted/quick");
  cli.closeStdout();
  expect((await cli.exit).code).toBe(141);
  const { stdout } = await runCli(["list"], { cwd });
  expect(stdout).toContain("stopped");
});
