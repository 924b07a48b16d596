import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject, writeFiles } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const FILE = "evals/capitals.eval.ts";
const CAPITALS = readFileSync(evalFile("capitals"), "utf8").replace(
  'isolation: "none"',
  'isolation: "process"',
);

test("check tells the numbers of the edited checker, and runs no agent", async () => {
  const cwd = aProject({ [FILE]: CAPITALS });
  const first = JSON.parse((await runCli(["run", FILE, "--json"], { cwd })).stdout);
  expect(first.stats["scripted/shaky"]).toMatchObject({ correct: 1, wrong: 1, failed: 1 });
  writeFiles(cwd, {
    [FILE]: CAPITALS.replace("result === expected", "result.length > 0 && expected !== result"),
  });
  const { code, stdout, stderr } = await runCli(["check", first.evaluation.id, "--json"], { cwd });
  const { evaluation, stats, logs, changes } = JSON.parse(stdout);
  expect([code, stderr]).toEqual([0, ""]);
  expect(evaluation).toMatchObject({ id: first.evaluation.id, round: 2, status: "finished" });
  expect(stats["scripted/steady"]).toMatchObject({ correct: 0, wrong: 3 });
  expect(stats["scripted/shaky"]).toMatchObject({ correct: 1, wrong: 1, failed: 1 });
  const idOf = (at: number) => first.logs[at].runId;
  expect(changes).toEqual([
    ...[0, 1, 2].map((at) => ({ runId: idOf(at), was: "correct", is: "wrong" })),
    { runId: idOf(3), was: "wrong", is: "correct" },
    { runId: idOf(4), was: "correct", is: "wrong" },
  ]);
  expect(logs.map(({ startedAt }: { startedAt: string }) => startedAt)).toEqual(
    first.logs.map(({ startedAt }: { startedAt: string }) => startedAt),
  );
});

test("check tells how far it has come, and refuses the file of another evaluation", async () => {
  const other = "evals/rivers.eval.ts";
  const cwd = aProject({ [FILE]: CAPITALS, [other]: CAPITALS.replace('name: "capitals"', 'name: "rivers"') });
  const { id } = JSON.parse((await runCli(["run", FILE, "--json"], { cwd })).stdout).evaluation;
  const { code, stderr } = await runCli(["check", id, other], { cwd });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`${other} defines "rivers", but ${id} is an evaluation of "capitals"`),
  ]);
  const { stdout } = await runCli(["check", id], { cwd });
  expect(stdout).toMatch(/^capitals {2}6 runs of 2 models {2}capitals-/);
  expect(stdout).toContain("6/6");
  expect(stdout).toContain("5 runs checked again: no verdict changed.\n");
  writeFiles(cwd, { [FILE]: CAPITALS.replace("result === expected", "result !== expected") });
  const turned = await runCli(["check", id], { cwd });
  expect(turned.stdout.replaceAll(/^[0-9a-f]{8}/gm, "RUN")).toContain(
    [
      "5 runs checked again: 5 verdicts changed.",
      "RUN  scripted/steady  france  correct → wrong",
      "RUN  scripted/shaky   france  correct → wrong",
      "RUN  scripted/steady  peru    correct → wrong",
      "RUN  scripted/shaky   peru    wrong → correct",
      "RUN  scripted/steady  japan   correct → wrong",
      "",
    ].join("\n"),
  );
});

test.each([
  [["check"], "There is no evaluation here yet"],
  [["check", "a", "b", "c"], 'check takes an id and a file, got also "c".'],
])("%j is told what is missing", async (args, message) => {
  const { code, stderr } = await runCli(args, { cwd: aProject() });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
