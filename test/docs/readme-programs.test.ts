import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LogEntry } from "../../src/index.ts";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { aReadersProject, programs, README, REPO } from "../fixtures/docs/readme.ts";
import { ModelServer } from "../fixtures/models/model-server.ts";
import { runNode } from "../fixtures/run/run-script.ts";

let server: ModelServer;
let keys: Record<string, string>;
beforeAll(async () => {
  server = await ModelServer.start();
  for (const word of ["hello", "world"]) {
    const toolCalls = [{ name: "finish", arguments: JSON.stringify({ value: word }) }];
    server.mock.on({ userMessage: `echo ${word}` }, { toolCalls });
  }
  keys = {
    OPENAI_API_KEY: "a key",
    OPENAI_BASE_URL: `${server.url}/v1`,
    ANTHROPIC_API_KEY: "a key",
    ANTHROPIC_BASE_URL: server.url,
  };
});
afterAll(() => server.stop());

test("the TypeScript of the README passes the compiler", () => {
  const tsconfig = JSON.stringify({ extends: join(REPO, "tsconfig.json"), include: ["**/*.ts", "**/*.mts"] });
  const cwd = aReadersProject({ ...programs(), "tsconfig.json": tsconfig });
  const compiler = join(REPO, "node_modules/typescript/bin/tsc");
  expect(execFileSync(process.execPath, [compiler, "--noEmit", "-p", cwd], { encoding: "utf8" })).toBe("");
});

test("the evaluation file of the README runs as it stands", async () => {
  const cwd = aReadersProject(programs());
  const { code, stdout, stderr } = await runCli(["run", "evals/echo.eval.ts", "--json"], { cwd, env: keys });
  expect([code, stderr]).toEqual([0, ""]);
  const { stats, logs } = JSON.parse(stdout);
  expect(Object.keys(stats)).toEqual(["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"]);
  expect(logs.map(({ correct }: LogEntry) => correct)).toEqual([true, true, true, true]);
});

test("problems come from a CSV file as the README has it", async () => {
  const [problems = ""] = /problems: csv\("problems\.csv"\)/.exec(README) ?? [];
  const evaluation = (programs()["evals/echo.eval.ts"] ?? "")
    .replace("import { ", "import { csv, ")
    .replace(/problems: \[[\s\S]*?\n {2}\]/, problems);
  const rows = "id,problem,expected,tags\nfirst,echo hello,hello,short\nsecond,echo world,world,\n";
  const cwd = aReadersProject({ "evals/echo.eval.ts": evaluation, "problems.csv": rows });
  const { code, stdout, stderr } = await runCli(["run", "evals", "--json"], { cwd, env: keys });
  expect([code, stderr]).toEqual([0, ""]);
  const told = JSON.parse(stdout).logs.map(({ problemId, correct }: LogEntry) => `${problemId} ${correct}`);
  expect(new Set(told)).toEqual(new Set(["first true", "second true"]));
});

test("the script of the README runs, once the project is one of ES modules", async () => {
  const dotEnv = Object.entries(keys).map(([name, value]) => `${name}="${value}"\n`);
  const folder = aReadersProject({ ...programs(), ".env": dotEnv.join("") }, "commonjs");
  const [, ...args] = /npm pkg set \S+(?=\))/.exec(README)?.[0].split(" ") ?? [];
  execFileSync("npm", args, { cwd: folder });
  const [, command = ""] = /`npx node (.*echo\.mts)`/.exec(README) ?? [];
  const { code, stdout, stderr } = await runNode(command.split(" "), { folder });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/'openai\/gpt-5-mini': \{\s+finished: 2,\s+correct: 2,/);
  expect(stdout).toMatch(/providerKey: 'openai',[\s\S]*result: \{ value: 'hello' \}/);
});
