import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FIRST_EVALUATION, SST_VERSION } from "../../../src/cli/init-files.ts";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";

const textOf = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

test("init writes a first evaluation that runs without any key", async () => {
  const cwd = aProject();
  const { code, stdout } = await runCli(["init"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /evals\/first.eval.ts is written.\n✓ tsconfig.json is written.\n {2}Run it: .* run evals\/first.eval.ts\n/,
  );
  const ran = await runCli(["run", "evals/first.eval.ts"], { cwd });
  expect(ran.stdout).toContain("first  6 runs finished");
  expect(ran.stdout).not.toContain("unknown");
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  expect(existsSync(join(cwd, "package.json"))).toBe(false);
});

test("init adds a script to package.json and leaves all else, and a tsconfig that exists, as they are", async () => {
  const own = { name: "mine", scripts: { test: "vitest" }, type: "module" };
  const cwd = aProject({ "package.json": JSON.stringify(own, null, 4), "tsconfig.json": "{}" });
  const { stdout } = await runCli(["init"], { cwd });
  expect(stdout).toContain('✓ the script "evals" in package.json is written.\n');
  const scripts = { ...own.scripts, evals: "agent-evaluator run evals" };
  expect(textOf(cwd, "package.json")).toBe(`${JSON.stringify({ ...own, scripts }, null, 4)}\n`);
  expect(textOf(cwd, "tsconfig.json")).toBe("{}");
});

test("init leaves a file that exists as it is", async () => {
  const cwd = aProject({ "mine.eval.ts": "// mine" });
  const { code, stderr } = await runCli(["init", "mine.eval.ts"], { cwd });
  expect(stderr).toContain("mine.eval.ts already exists, not overwritten.");
  expect(code).toBe(2);
  expect(readFileSync(join(cwd, "mine.eval.ts"), "utf8")).toBe("// mine");
});

describe("init --cloud", () => {
  test("lists the evaluations that it finds, whatever their files are called", async () => {
    const cwd = aProject({
      "evals/2-sums.eval.ts": "",
      "evals/new.eval.ts": "",
      "evals/more/new.eval.mjs": "",
      "evals/shop.ts": "",
    });
    const { code, stdout } = await runCli(["init", "--cloud"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ \d+ files written: sst\.config\.ts, stacks, functions, evals\/index\.ts\n/);
    expect(stdout).toContain("npm install -D agent-evaluator sst@4.17.1\n");
    expect(textOf(cwd, "evals/index.ts")).toBe(`import _2SumsEvaluation from "./2-sums.eval.ts";
import newEvaluation from "./more/new.eval.mjs";
import newEvaluation2 from "./new.eval.ts";

/** The evaluations that are deployed; each is the default export of a file of its own. */
export default [_2SumsEvaluation, newEvaluation, newEvaluation2];
`);
  });

  test("writes a first evaluation where there is none", async () => {
    const cwd = aProject();
    await runCli(["init", "--cloud"], { cwd });
    expect(textOf(cwd, "evals/first.eval.ts")).toBe(FIRST_EVALUATION);
    expect(textOf(cwd, "evals/index.ts")).toContain('from "./first.eval.ts"');
  });

  test("leaves what exists as it is, and says so", async () => {
    const mine = { "sst.config.ts": "// mine", "functions/api.ts": "", "evals/index.ts": "// mine" };
    const cwd = aProject({ ...mine, ".gitignore": "dist" });
    const { code, stdout } = await runCli(["init", "--cloud"], { cwd });
    expect(code).toBe(0);
    for (const [path, text] of Object.entries(mine)) {
      expect(stdout).toContain(`${path} already exists, not overwritten.`);
      expect(textOf(cwd, path)).toBe(text);
    }
    expect(textOf(cwd, "functions/orchestrator.ts")).toBe(
      'export { handler, shardHandler } from "agent-evaluator/functions/orchestrator";\n',
    );
    const again = await runCli(["init", "--cloud"], { cwd });
    expect(again.stdout).toContain("✓ nothing was missing.\n");
    expect(textOf(cwd, ".gitignore")).toBe("dist\n.sst/\n");
  });

  test.each([
    ["@acme/My.Evals", "acme-my-evals"],
    ["2024", "evaluations"],
    ["plain", "plain"],
  ])("names the app of the project %s %s", async (name, app) => {
    const cwd = aProject({ "package.json": JSON.stringify({ name }) });
    await runCli(["init", "--cloud"], { cwd });
    expect(textOf(cwd, "sst.config.ts")).toContain(`{ name: "${app}", home: "aws"`);
  });

  test("asks for the SST that our stacks are tested with", () => {
    const { devDependencies } = JSON.parse(textOf(join(import.meta.dirname, "../../.."), "package.json"));
    expect(SST_VERSION).toBe(devDependencies.sst);
  });

  test("takes no file", async () => {
    const { code, stderr } = await runCli(["init", "a.eval.ts", "--cloud"], { cwd: aProject() });
    expect([code, stderr]).toEqual([2, expect.stringContaining("init --cloud names its files itself")]);
  });
});
