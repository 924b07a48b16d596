import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startCli } from "../../fixtures/cli/start-cli.ts";
import { aProject, writeFiles } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

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

test("--watch follows the data that problems are read from, and .env", async () => {
  const problems = 'csv(new URL("data/rows.csv", import.meta.url))';
  const text = readFileSync(evalFile("capitals"), "utf8")
    .replace("defineEvaluation }", "csv, defineEvaluation }")
    .replace(/problems: \[[\s\S]*?\n {2}\]/, `problems: ${problems}`)
    .replace('name: "capitals"', "name: process.env.NAMED");
  const rows = "problem,expected\nCapital of France?,Paris\n";
  const cwd = aProject({ "a.eval.ts": text, "data/rows.csv": rows, ".env": "NAMED=first\n" });
  const cli = startCli(["run", "a.eval.ts", "--watch"], { cwd });
  await cli.shows("first  2 runs finished");
  await cli.shows("Watching 3 files");
  writeFiles(cwd, { "data/rows.csv": `${rows}Capital of Peru?,Lima\n` });
  await cli.shows("↻ data/rows.csv changed, running again.");
  await cli.shows("first  4 runs finished");
  await cli.shows("Watching 3 files");
  writeFiles(cwd, { ".env": "NAMED=second\n" });
  await cli.shows("↻ .env changed, running again.");
  await cli.shows("second  4 runs finished");
  await cli.shows("Watching 3 files");
  writeFiles(cwd, { "a.eval.ts": `${text}\nthrow new RangeError("not today");` });
  await cli.shows("RangeError: not today\n    at a.eval.ts:");
  cli.kill("SIGINT");
  await cli.exit;
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
