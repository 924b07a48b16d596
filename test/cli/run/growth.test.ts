import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject, writeFiles } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const FILE = "evals/capitals.eval.ts";
const CAPITALS = readFileSync(evalFile("capitals"), "utf8");

test("flags and an edited file add to an evaluation, and only that is run", async () => {
  const cwd = aProject({ [FILE]: CAPITALS });
  const run = async (...flags: string[]) => {
    const { stdout, stderr } = await runCli(["run", FILE, "--json", ...flags], { cwd });
    const { evaluation, logs } = JSON.parse(stdout);
    const asked = stderr.split("\n").filter((line) => line.includes("was asked"));
    const told = stderr.split("\n").find((line) => line.startsWith("+ "));
    return { id: evaluation.id, runs: logs.length, asked: asked.length, told };
  };
  const first = await run("--model", "scripted/steady", "--limit", "1");
  expect(first).toMatchObject({ runs: 1, asked: 1 });
  const second = await run("--resume", first.id, "--trials", "2");
  expect(second).toMatchObject({ runs: 2, asked: 1 });
  expect([first.told, second.told]).toEqual([
    undefined,
    `+ 1 run of ${first.id} is kept, 1 is new; together they are ${second.id}`,
  ]);
  const third = await run("--resume", second.id, "--problem", "peru");
  expect(third).toMatchObject({ runs: 4, asked: 2 });
  const same = { id: third.id, runs: 4, asked: 0, told: undefined };
  expect(await run("--resume", third.id)).toEqual(same);
  const more = CAPITALS.replace("  isolation:", "  trials: 2,\n  isolation:");
  writeFiles(cwd, { [FILE]: more.replace('["scripted", "shaky"],', "") });
  expect(await run("--resume", third.id, "--grow")).toMatchObject({ runs: 6, asked: 2 });
});

test("an evaluation does not go on with the file of another one", async () => {
  const other = "evals/rivers.eval.ts";
  const cwd = aProject({ [FILE]: CAPITALS, [other]: CAPITALS.replace('name: "capitals"', 'name: "rivers"') });
  const first = await runCli(["run", FILE, "--json"], { cwd });
  const { id } = JSON.parse(first.stdout).evaluation;
  const { code, stdout, stderr } = await runCli(["run", other, "--resume", id], { cwd });
  expect(stderr).toContain(
    `error: ${other} defines "rivers", but ${id} is an evaluation of "capitals" (it was started from ${FILE});`,
  );
  expect([code, stdout]).toEqual([2, ""]);
});
