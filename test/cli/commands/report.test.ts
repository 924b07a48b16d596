import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const FILE = "evals/capitals.eval.ts";

test("a report of two rounds counts runs, in a folder that it makes", async () => {
  const cwd = aProject({ [FILE]: readFileSync(evalFile("capitals"), "utf8") });
  const first = await runCli(["run", FILE, "--json"], { cwd });
  const { id } = JSON.parse(first.stdout).evaluation;
  expect((await runCli(["run", "--resume", id, "--retry-failed"], { cwd })).code).toBe(0);
  const report = await runCli(["report", id, "--out", "new/folder/page.html"], { cwd });
  expect(report).toMatchObject({ code: 0, stderr: "" });
  expect(report.stdout).toContain("page.html, 6 runs");
  const page = readFileSync(join(cwd, "new/folder/page.html"), "utf8");
  const [, data = ""] = /<script type="application\/json"[^>]*>([^<]*)</.exec(page) ?? [];
  expect(JSON.parse(data).evaluation.progress).toMatchObject({ finished: 6, total: 6 });
});
