import { expect, test } from "vitest";
import { aProject } from "../fixtures/a-project.ts";
import { evalFile } from "../fixtures/run-file.ts";
import { runCli, startCli } from "../fixtures/start-cli.ts";

const FILE = evalFile("waiting");
const QUICK_AND_SLOW = ["--model", "scripted/quick", "--model", "scripted/slow"];

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
