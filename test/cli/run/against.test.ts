import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli, startCli } from "../../fixtures/cli/start-cli.ts";
import { aProject, writeFiles } from "../../fixtures/files/a-project.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...args],
    {
      cwd,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: cwd },
    },
  );

const EVALUATION = (more = "") => `
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineEvaluation } from "agent-evaluator";
import { say } from "../lib/say.ts";
import { suffix } from "shared";
import { installed } from "installed";
const name = say();
export default defineEvaluation({
  name: "a",
  models: [["scripted", "one"]],
  problems: Array.from({ length: 4 }, (_, at) => [\`q\${at}\`, "new"] as [string, string]),
  tools: [{ name, description: "", run: () => name }],
  buildAgent: (_provider, _model, tools, problem) => async ({ signal }) => {
    ${more}
    const prompt = readFileSync(join(import.meta.dirname, "prompt.txt"), "utf8").trim();
    return { said: name, prompt, suffix, installed, tools: tools.map((tool) => tool.name) };
  },
  resultChecker: (result, expected) => result.said === expected,
});`;

const FILES = {
  "evals/a.eval.ts": EVALUATION(),
  "evals/prompt.txt": "old prompt",
  "lib/say.ts": 'export const say = () => "old";',
  "shared/package.json": '{"name":"shared","type":"module","main":"index.js"}',
  "shared/index.js": 'export const suffix = "old";',
  "package.json": '{"type":"module"}',
  ".gitignore": "node_modules\n.agent-evaluator\ntemp\n",
  "node_modules/installed/package.json": '{"name":"installed","type":"module","main":"index.js"}',
  "node_modules/installed/index.js": 'export const installed = "now";',
};

/** A repository whose main branch says "old" and whose working folder says "new". */
function changedRepository(evaluation = EVALUATION()) {
  const cwd = aProject({ ...FILES, "evals/a.eval.ts": evaluation });
  mkdirSync(join(cwd, "temp"));
  execFileSync("ln", ["-s", "../shared", join(cwd, "node_modules/shared")]);
  git(cwd, "init", "-q");
  git(cwd, "add", ".");
  git(cwd, "commit", "-qm", "old");
  writeFiles(cwd, {
    "lib/say.ts": 'export const say = () => "new";',
    "evals/prompt.txt": "new prompt",
    "shared/index.js": 'export const suffix = "new";',
  });
  return { cwd, env: { TMPDIR: join(cwd, "temp") } };
}

const OLD = "scripted/one@main";
const NEW = "scripted/one@current";

test("run --against compares a file with its version at another commit, each with its own files and tools", async () => {
  const options = changedRepository();
  const before = git(options.cwd, "status", "--porcelain");
  const { code, stdout, stderr } = await runCli(
    ["run", "evals/a.eval.ts", "--against", "main", "--json"],
    options,
  );
  expect(stderr).not.toContain("Error");
  expect(code).toBe(0);
  const { evaluation, stats, report, logs } = JSON.parse(stdout);
  expect(Object.keys(stats)).toEqual([OLD, NEW]);
  expect([stats[OLD].correct, stats[NEW].correct]).toEqual([0, 4]);
  const result = (said: string) => ({
    ...{ said, prompt: `${said} prompt`, suffix: said, installed: "now", tools: [said] },
  });
  expect(logs.slice(0, 2).map((log: { result: unknown }) => log.result)).toEqual([
    result("old"),
    result("new"),
  ]);
  expect(report.comparisons).toMatchObject([{ pairedProblems: 4, difference: expect.any(Number) }]);
  const commit = git(options.cwd, "rev-parse", "main").trim();
  expect(evaluation.against).toEqual({ ref: "main", commit, variant: "main" });
  expect(git(options.cwd, "worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(git(options.cwd, "status", "--porcelain")).toBe(before);
});

test("a comparison that was stopped is resumed with the commit it was started with, though the branch has moved", async () => {
  const waits =
    'if (name === "new" && !(await import("node:fs")).existsSync(join(import.meta.dirname, "go"))) await new Promise(() => setInterval(() => {}, 1e6));';
  const options = changedRepository(EVALUATION(waits));
  const cli = startCli(["run", "evals/a.eval.ts", "--against", "main", "--concurrency", "2"], options);
  await cli.shows("2/8");
  cli.kill("SIGINT");
  const stopped = await cli.exit;
  expect(stopped.code).toBe(130);
  const [, id = ""] = /--resume (\S+)/.exec(stopped.stdout + stopped.stderr) ?? [];
  git(options.cwd, "commit", "-qam", "new");
  writeFileSync(join(options.cwd, "evals/go"), "");
  const { code, stdout, stderr } = await runCli(["run", "--resume", id, "--json"], options);
  expect(stderr).not.toContain("code changed");
  expect(code).toBe(0);
  const { stats } = JSON.parse(stdout);
  expect([stats[OLD].correct, stats[NEW].correct]).toEqual([0, 4]);
  const checked = await runCli(["check", id], options);
  expect(checked.stdout).toContain("8 runs checked again: no verdict changed");
});

test.each<[what: string, args: string[], words: RegExp]>([
  [
    "a commit that is not there",
    ["--against", "nope"],
    /--against nope: git knows no commit "nope" here; give a branch, a tag or a commit/,
  ],
  ["an option of git's", ["--against=--output=x"], /git knows no commit/],
  ["--resume", ["--against", "main", "--resume", "a"], /leave --against out/],
  [
    "--remote",
    ["--against", "main", "--remote", "http://127.0.0.1:1"],
    /--against and --remote do not go together/,
  ],
])("refuses --against with %s", async (_what, args, words) => {
  const { code, stderr } = await runCli(["run", "evals/a.eval.ts", ...args], changedRepository());
  expect(stderr).toMatch(words);
  expect(code).not.toBe(0);
});

test("refuses --against for a file with variants, one that the commit has not, and one outside of any repository", async () => {
  const options = changedRepository();
  writeFiles(options.cwd, {
    "evals/b.eval.ts": EVALUATION(),
    "evals/a.eval.ts": EVALUATION().replace("tools:", "variants: { x: 1 }, tools:"),
  });
  const run = async (file: string) => (await runCli(["run", file, "--against", "main"], options)).stderr;
  expect(await run("evals/a.eval.ts")).toMatch(/neither may have `variants` of its own/);
  expect(await run("evals/b.eval.ts")).toMatch(/evals\/b.eval.ts is not in main \([0-9a-f]{7}\)/);
  renameSync(join(options.cwd, ".git"), join(options.cwd, "no-git"));
  expect(await run("evals/b.eval.ts")).toMatch(/--against main: .*not a git repository/);
});

test("the paired result is what one sees first, and show says what it was compared with", async () => {
  const options = changedRepository();
  const { stdout } = await runCli(["run", "evals/a.eval.ts", "--against", "HEAD~0"], options);
  expect(stdout).toMatch(/Compared\n.*scripted\/one@HEAD~0/);
  expect(stdout.indexOf("\nCompared")).toBeLessThan(stdout.search(/^model /m));
  const [, id = ""] = /show (a-\w+)/.exec(stdout) ?? [];
  const shown = await runCli(["show", id], options);
  expect(shown.stdout).toMatch(/HEAD~0: the file at HEAD~0 \([0-9a-f]{7}\)/);
});

test("the copy of a commit is kept once, and nothing half written beside it", async () => {
  const options = changedRepository();
  const args = ["run", "evals/a.eval.ts", "--against", "main", "--quiet"];
  for (const _time of [1, 2]) expect((await runCli(args, options)).code).toBe(0);
  const [own = ""] = readdirSync(options.env.TMPDIR).filter((name) => name.startsWith("agent-evaluator-"));
  expect(readdirSync(join(options.env.TMPDIR, own, "commits"))).toEqual([
    expect.stringMatching(/^[0-9a-f]{40}$/),
  ]);
});
