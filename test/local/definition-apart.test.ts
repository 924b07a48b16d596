import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { definitionVariables } from "../../src/providers/secrets.ts";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { aProject } from "../fixtures/files/a-project.ts";

const KEYS = { OPENAI_API_KEY: "sk-real-one", DATABASE: "postgres://me:sk-real-two@host/db", MODEL: "small" };

/** A package that looks for keys while it is imported, as those of a supply-chain attack do, and prints what it found. */
const THIEF = `
const fs = require("node:fs"), { execSync } = require("node:child_process");
const ways = {
  environment: () => JSON.stringify(process.env),
  own: () => fs.readFileSync("/proc/self/environ", "utf8"),
  parent: () => fs.readFileSync("/proc/" + process.ppid + "/environ", "utf8"),
  program: () => execSync("cat /proc/" + process.ppid + "/environ", { encoding: "utf8" }),
  file: () => fs.readFileSync(".env", "utf8"),
  overwriting: () => (fs.writeFileSync(".env", "OPENAI_BASE_URL=http://elsewhere"), "sk-real"),
};
for (const [name, look] of Object.entries(ways)) {
  let found = "";
  try { found = look(); } catch {}
  if (found.includes("sk-real")) console.error("stolen by " + name);
}
console.error("looked, and found " + process.env.OPENAI_API_KEY + ", " + process.env.DATABASE + ", " + process.env.MODEL);
`;

const DEFINITION = (more: string) => `import "thief";
import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "a",
  models: [["scripted", process.env.MODEL ?? "none"]],
  buildAgent: () => () => "right",
  resultChecker: (result, expected) => result === expected,
  ${more}
});`;

const project = (more: string) =>
  aProject({
    "package.json": "{}",
    ".env": "",
    "node_modules/thief/package.json": '{"name":"thief","main":"index.js"}',
    "node_modules/thief/index.js": THIEF,
    "a.eval.ts": DEFINITION(more),
  });

test.each([
  ["run", "a.eval.ts", "--json"],
  ["estimate", "a.eval.ts", "--json"],
])("%s reads a definition and what it imports where there is no key", async (...args) => {
  const cwd = project('problems: [["q", "right"], { problem: "r", expected: "wrong", id: "second" }],');
  writeFileSync(join(cwd, ".env"), "ANTHROPIC_API_KEY=sk-real-three");
  const { code, stderr, stdout } = await runCli(args, { cwd, env: KEYS });
  expect(stderr).toBe("looked, and found hidden-from-definitions, hidden-from-definitions, small\n");
  expect(code).toBe(0);
  expect(stdout).toContain("small");
  expect(readFileSync(join(cwd, ".env"), "utf8")).toBe("ANTHROPIC_API_KEY=sk-real-three");
});

test("problems that come one by one are read with what the definition gives its runs, and no further than asked", async () => {
  const cwd = project(`env: ["DATABASE"],
  problems: (function* () {
    for (let at = 0; ; at++) yield { problem: at + ": " + process.env.DATABASE, expected: at === 0 ? "right" : undefined };
  })(),`);
  const { stdout } = await runCli(["run", "a.eval.ts", "--json", "--limit", "2"], { cwd, env: KEYS });
  const { logs } = JSON.parse(stdout) as { logs: { problem: string; correct: boolean }[] };
  expect(logs.map(({ problem, correct }) => [problem.slice(0, 12), correct])).toEqual([
    ["0: postgres:", true],
    ["1: postgres:", false],
  ]);
});

test.each([
  ["models: 5n, nope: [NaN], problems: 3,", "models: expected array; got 5n"],
  ["problems: [() => 1],", "problems[0].problem: cannot be stored: a function at problem"],
  [
    "problems: (function* () { throw new RangeError('no more'); })(),",
    "problems[0] threw RangeError: no more",
  ],
  ["problems: [],\n}); throw new TypeError('half'); ({", "TypeError: half\n    at a.eval.ts:9:11"],
  ["problems: [],\n}); await new Promise(() => {}); ({", "its process ended with exit code 13"],
])("a mistake is reported as it was made: %s", async (more, message) => {
  const { code, stderr } = await runCli(["run", "a.eval.ts"], { cwd: project(more), env: KEYS });
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test("what is thrown only with the means of the runs is reported as it was thrown", async () => {
  const cwd = project(`permissions: { spawn: true },
  problems: (function* () { yield 1; })(),
});
if (process.permission?.has("child")) throw new Error("boom, the real reason");
({`);
  const { code, stderr } = await runCli(["run", "a.eval.ts"], { cwd, env: KEYS });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("Error: boom, the real reason\n    at a.eval.ts:11"),
  ]);
});

const MODELS = { ...KEYS, MODEL: "Xa8Kq2Lm9Zp4Rt6Yw1Vb3Nc5" };

test("a variable in env is there when the definition is read, and what is printed is printed once", async () => {
  const cwd = project(`problems: [["q", "right"]], env: ["MODEL"],`);
  const { code, stdout, stderr } = await runCli(["run", "a.eval.ts", "--json"], { cwd, env: MODELS });
  expect([code, stdout]).toEqual([0, expect.stringContaining("scripted/Xa8Kq2Lm9Zp4Rt6Yw1Vb3Nc5")]);
  expect(stderr.match(/looked/g)).toHaveLength(1);
});

test.each([
  ["", "models is made of a variable that is hidden"],
  [
    'env: ["MODEL"], modelOptions: { openai: { headers: { key: process.env.OPENAI_API_KEY } } },',
    "modelOptions is made of a variable that is hidden while a definition is read, because it may hold a key: OPENAI_API_KEY.",
  ],
])("an option is not made of a variable that is hidden: %s", async (more, said) => {
  const cwd = project(`problems: [["q", "right"]], ${more}`);
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--json"], { cwd, env: MODELS });
  expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
});

test.each([
  "gpt-4o-mini-2024-07-18",
  "claude-sonnet-4-5-20250929",
  "anthropic.claude-3-5-sonnet-20241022-v2:0",
  "/data1/0123456789abcdef0123",
  "http://127.0.0.1:8080/v1",
])("a value that is no secret is seen: %s", (MODEL) => {
  expect(definitionVariables({ MODEL })).toEqual({ MODEL });
});

test.each([
  "postgres://me:word@host/db",
  "ghp_9f8e7d6c5b4a3Z2y1X0w9V8u",
  "https://hooks.example.com/T0/Xa8Kq2Lm9Zp4Rt6Yw1Vb3Nc5",
  "550e8400-e29b-41d4-a716-446655440000",
])("a value that may be a secret is hidden: %s", (MODEL) => {
  expect(definitionVariables({ MODEL })).toEqual({ MODEL: "hidden-from-definitions" });
});

/** Patches what every definition uses, as a package can that shares a process with it. */
const PATCH = (options: string) => `
const keys = Object.keys;
Object.keys = (value) => {
  if (value && value.buildAgent) Object.assign(value, ${options});
  return keys(value);
};`;

const patched = (more: string, options: string) => {
  const cwd = project(more);
  writeFileSync(join(cwd, "node_modules/thief/index.js"), PATCH(options));
  return runCli(["run", "a.eval.ts", "--json"], { cwd, env: KEYS });
};

test.each([
  ["", '{ env: ["OPENAI_API_KEY"] }', 'env to "OPENAI_API_KEY"'],
  ['env: ["DATABASE"],', '{ env: ["DATABASE", "OPENAI_API_KEY"] }', 'env to "OPENAI_API_KEY"'],
  ["", "{ trusted: true }", "trusted"],
  ["", "{ gateway: true }", "gateway"],
  ["", "{ permissions: { spawn: true } }", "permissions.spawn"],
  ["", '{ checker: { env: ["OPENAI_API_KEY"] } }', 'checker.env to "OPENAI_API_KEY"'],
  ["", '{ drift: { webhook: "DATABASE" } }', 'drift.webhook to "DATABASE"'],
  ["", '{ isolation: "none" }', 'isolation to "none"'],
  ["", "{ onEntry() {} }", "onEntry"],
  ["", '{ store: "/tmp" }', 'store to "/tmp"'],
  ["", '{ modelOptions: { openai: { body: { user: "me" } } } }', "modelOptions.openai.body"],
  [
    'modelOptions: { openai: { baseUrl: "https://models.mine.com/v1" } },',
    '{ modelOptions: { openai: { baseUrl: "https://models.mine.co" } } }',
    'modelOptions.openai.baseUrl to "https://models.mine.co"',
  ],
])(
  "a package cannot give itself powers that the evaluation's files do not: %s %s",
  async (more, options, said) => {
    const { code, stderr } = await patched(`${more} problems: [["q", "right"]],`, options);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`set the option ${said};`)]);
  },
);

test("powers that the evaluation's own files write down count, and addresses of variables that they name", async () => {
  const cwd = project(`problems: [["q", "right"]], ...means,
  modelOptions: { openai: { baseUrl: process.env.SERVER }, anthropic: { baseUrl: "https://b.example/v1" } },
});
import { means } from "./means.ts";
({`);
  writeFileSync(
    join(cwd, "means.ts"),
    'export const means = { env: ["DATABASE"], permissions: { spawn: true }, trusted: true, gateway: true };',
  );
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--json"], {
    cwd,
    env: { ...KEYS, SERVER: "https://a.example/v1" },
  });
  expect([code, stderr]).toEqual([0, expect.stringContaining("looked")]);
});

test("words alone bring nothing into the evaluator's own process", async () => {
  const cwd = project(`problems: [["onUpdate, onEntry, isolation", "none"]], // onUpdate`);
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--json"], { cwd, env: KEYS });
  expect([code, stderr]).toEqual([
    0,
    "looked, and found hidden-from-definitions, hidden-from-definitions, small\n",
  ]);
});

test.each([
  ["onEntry() { console.error('here', process.env.OPENAI_API_KEY); },", "here sk-real-one"],
  ['isolation: "none",', "found sk-real-one, postgres:"],
])("what needs the evaluator's own process has it: %s", async (more, said) => {
  const cwd = project(`problems: [["q", "right"]], ${more}`);
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--json"], { cwd, env: KEYS });
  expect([code, stderr]).toEqual([0, expect.stringContaining(said)]);
  expect(stderr.match(/looked/g)).toHaveLength(1);
});

test("a package cannot ask for the evaluator's own process", async () => {
  const cwd = project("problems: [1], ...require('thief').more,");
  const path = join(cwd, "node_modules/thief/index.js");
  writeFileSync(path, `${THIEF}\nexports.more = { isolation: "none" };`);
  const { code, stderr } = await runCli(["run", "a.eval.ts"], { cwd, env: KEYS });
  expect([code, stderr]).toEqual([1, expect.stringContaining("write it in the evaluation's own file")]);
  expect(stderr).not.toContain("stolen");
});
