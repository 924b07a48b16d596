import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const FILE = "evals/capitals.eval.ts";
const CAPITALS = { [FILE]: readFileSync(evalFile("capitals"), "utf8") };

test("a spent budget is exit 4, and a resume goes on only with a larger one", async () => {
  const cwd = aProject(CAPITALS);
  const run = (...flags: string[]) => runCli(["run", FILE, "--concurrency", "1", ...flags], { cwd });
  const first = await run("--budget-tokens", "1");
  expect(first.code).toBe(4);
  expect(first.stderr).toContain("the budget of 1 token is spent");
  expect(first.stdout).toContain("stopped after 1 of 6 runs");
  expect(first.stdout).toMatch(/3 × budget +stopped +scripted\/shaky/);
  expect(first.stdout).toMatch(/2 × budget +stopped +scripted\/steady/);
  expect(first.stdout).toMatch(/--resume \S+ --budget-tokens <more than \d{2,}>/);
  const [, id = ""] = /--resume (\S+)/.exec(first.stdout) ?? [];
  expect((await run("--resume", id)).code).toBe(4);
  const last = await run("--resume", id, "--budget-tokens", "100000", "--json");
  expect([last.code, JSON.parse(last.stdout).evaluation]).toMatchObject([
    0,
    { id, status: "finished", round: 3, budget: { tokens: 100_000 } },
  ]);
});
