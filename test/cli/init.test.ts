import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aProject } from "../fixtures/a-project.ts";
import { runCli } from "../fixtures/start-cli.ts";

test("init writes a first evaluation that runs without any key", async () => {
  const cwd = aProject();
  const { code, stdout } = await runCli(["init"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/evals\/first.eval.ts is written.\n {2}Run it: .* run evals\/first.eval.ts\n/);
  const ran = await runCli(["run", "evals/first.eval.ts"], { cwd });
  expect(ran.stdout).toContain("first  6 runs finished");
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
});

test("init leaves a file that exists as it is", async () => {
  const cwd = aProject({ "mine.eval.ts": "// mine" });
  const { code, stderr } = await runCli(["init", "mine.eval.ts"], { cwd });
  expect(stderr).toContain("mine.eval.ts exists already and is left as it is.");
  expect(code).toBe(2);
  expect(readFileSync(join(cwd, "mine.eval.ts"), "utf8")).toBe("// mine");
});
