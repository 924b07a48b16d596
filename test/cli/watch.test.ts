import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { aProject, writeFiles } from "../fixtures/a-project.ts";
import { evalFile } from "../fixtures/run-file.ts";
import { startCli } from "../fixtures/start-cli.ts";

const CAPITALS = readFileSync(evalFile("capitals"), "utf8").replace('"Tokyo" }', "answers.japan }");
const FILE = `import { answers } from "./answers.ts";\n${CAPITALS}`;
const IDLE = "Watching 2 files; Ctrl-C ends.";

test("--watch runs again when an imported file changes, survives a mistake, and ends with Ctrl-C", async () => {
  const cwd = aProject({ "a.eval.ts": FILE, "answers.ts": 'export const answers = { japan: "Tokyo" };' });
  const cli = startCli(["run", "a.eval.ts", "--watch"], { cwd });
  await cli.shows("capitals  6 runs finished");
  await cli.shows(IDLE);
  writeFiles(cwd, { "answers.ts": 'export const answers = { japan: "Kyoto" };' });
  await cli.shows("↻ answers.ts changed, running again.");
  await cli.shows("Tokyo (expected Kyoto)");
  await cli.shows(IDLE);
  writeFiles(cwd, { "answers.ts": "export const answers = {" });
  await cli.shows("error: answers.ts:1:25: Expected identifier but found end of file");
  await cli.shows(IDLE);
  writeFiles(cwd, { "answers.ts": 'export const answers = { japan: "Tokyo" };' });
  await cli.shows("capitals  6 runs finished");
  await cli.shows(IDLE);
  cli.kill("SIGINT");
  const { code, stdout } = await cli.exit;
  expect(code).toBe(0);
  expect(stdout).not.toContain("Stopping");
});

test("a change while runs are under way starts them anew with the new code", async () => {
  const waiting = readFileSync(evalFile("waiting"), "utf8");
  const cwd = aProject({ "a.eval.ts": waiting });
  const cli = startCli(["run", "a.eval.ts", "--watch"], { cwd });
  await cli.shows("2/4");
  writeFiles(cwd, { "a.eval.ts": waiting.replace(/Number\(process.*\)/, "0") });
  await cli.shows("↻ a.eval.ts changed, running again.");
  await cli.shows("waiting  4 runs finished");
  cli.kill("SIGTERM");
  await cli.exit;
});
