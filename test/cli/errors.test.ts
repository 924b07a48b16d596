import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reportError } from "../../src/cli/exit.ts";
import { processHost } from "../../src/cli/host.ts";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { aProject } from "../fixtures/files/a-project.ts";

const SEE = /\nSee node .*main\.ts( run| show| list)? --help\n$/;

/** Words typed to the command, the exit code, and the message without the pointer to the help. */
test.each([
  [["rnu", "a.eval.ts"], '"rnu" is not a command. Did you mean run?'],
  [["evals/a.eval.ts"], '"evals/a.eval.ts" is not a command. Did you mean run evals/a.eval.ts?'],
  [["run", "--concurency", "2"], "run has no flag --concurency. Did you mean --concurrency?"],
  [["list", "--failed"], "list has no flag --failed."],
  [["run", "a.eval.ts", "--isolation", "docker"], '--isolation expects process, pool or none, got "docker".'],
  [["run"], "run needs an evaluation file: run evals/first.eval.ts (init writes one)."],
  [["run", "nowhere.eval.ts"], "nowhere.eval.ts does not exist."],
  [["run", "*.nothing.ts"], "No file matches *.nothing.ts."],
  [["run", "."], ". has no evaluation: no file in it ends with .eval.ts."],
  [["run", "--resume", "capitals-1"], "There is no evaluation here yet; run one first."],
  [["show"], "There is no evaluation here yet; run one first."],
  [["list", "--store", "nowhere"], "There is no store at nowhere."],
])("%j is bad usage", async (args, message) => {
  const cwd = aProject();
  const { code, stdout, stderr } = await runCli(args, { cwd });
  expect(stderr.replace(SEE, "")).toBe(`error: ${message}`);
  expect([code, stdout]).toEqual([2, ""]);
  expect(existsSync(join(cwd, ".agent-evaluator"))).toBe(false);
});

test("where too few files may be open, a run says so and how to allow more", async () => {
  const cwd = aProject({ "a.eval.ts": GOOD });
  const main = join(import.meta.dirname, "../../src/cli/main.ts");
  const words = ["-c", 'ulimit -n 100; exec "$0" "$@"', process.execPath, main, "run", "a.eval.ts"];
  const { status, stderr } = spawnSync("bash", words, { cwd, encoding: "utf8" });
  expect(stderr).toBe(
    "error: a program may open only 100 files at once here, and an evaluation needs at least 128; " +
      "allow more with `ulimit -n 1024`, in a new shell if this one refuses\n",
  );
  expect(status).toBe(1);
});

test("a file that cannot be opened, because too many are, is not called a bug", () => {
  const told: string[] = [];
  const screen = {
    ...{ isLive: false, hasColor: false, columns: 80, rows: 24 },
    write: (text: string) => told.push(text),
    flushed: async () => {},
  };
  const host = { ...processHost(process), stderr: screen };
  expect(reportError(new TypeError("spawn esbuild EMFILE"), host)).toBe(1);
  expect(told.join("")).toBe(
    "error: spawn esbuild EMFILE\nToo many files are open at once: lower --concurrency, or allow more with `ulimit -n 1024`.\n",
  );
});

const GOOD = `
import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  models: [["scripted", "a"]],
  problems: [{ id: "one", problem: 1 }],
  buildAgent: () => () => 1,
  resultChecker: () => true,
});
`;

const SYNTAX = GOOD.replace("problems: [", "problems: ");
const UNREADABLE = GOOD.replace(
  /problems: .*/,
  'problems: (function* () { yield 1; throw new RangeError("no more"); })(),',
);
const THROWS = `const table: Record<string, string> = {};
function lookUp(name: string): string {
  if (!(name in table)) throw new RangeError(\`no \${name} in the table\`);
  return name;
}
export default lookUp("Paris");
`;

test.each([
  [
    "a syntax error",
    SYNTAX,
    'bad.eval.ts:5:38: Expected "}" but found "]"\n  5 |   problems: { id: "one", problem: 1 }],\n    |                                      ^\n',
  ],
  [
    "a file that throws",
    THROWS,
    "bad.eval.ts threw while it was loaded:\nRangeError: no Paris in the table\n    at lookUp (bad.eval.ts:3:31)\n    at bad.eval.ts:6:16\n",
  ],
  [
    "no default export",
    "export const evaluation = 1;",
    "bad.eval.ts has no evaluation as its default export; write `export default defineEvaluation({ … })`\n",
  ],
  [
    "a missing import",
    `import { x } from "./nowhere.ts";\nconsole.log(x);${GOOD}`,
    'bad.eval.ts:1:19: cannot find the file "./nowhere.ts"\n  1 | import { x } from "./nowhere.ts";\n    |                   ^^^^^^^^^^^^^^\nCorrect the path or create the file.\n',
  ],
  [
    "a bad option",
    GOOD.replace("models:", "concurrency: 0, modles: 1, models:"),
    'bad.eval.ts: the evaluation\'s options are not valid:\n  concurrency: Too small: expected number to be >=1; got 0\n  unknown option "modles"; the options are: name, models, ',
  ],
  [
    "a bad problem",
    GOOD.replace("problem: 1", "problem: 1n"),
    "bad.eval.ts: the evaluation's options are not valid:\n  problems[0].",
  ],
  [
    "a list of problems that throws",
    UNREADABLE,
    "bad.eval.ts: reading problems[1] threw RangeError: no more; fix the code that produces the problems and run it again\n",
  ],
])("%s is one clear message", async (_what, text, message) => {
  const { code, stdout, stderr } = await runCli(["run", "bad.eval.ts"], {
    cwd: aProject({ "bad.eval.ts": text }),
  });
  expect(stderr.slice(0, message.length + 7)).toBe(`error: ${message}`);
  expect(stderr).not.toMatch(/src\/|node:internal|node_modules/);
  expect([code, stdout]).toEqual([1, ""]);
});

test.each([
  ["awaits it", "console.log(await evaluation.evaluate());"],
  ["does not wait for it", "evaluation.evaluate().then(console.log, console.log);"],
  ["exports a definition too", "await evaluation.evaluate();\nexport default {};"],
])("a script that evaluates by itself and %s is refused", async (_what, ending) => {
  const script = GOOD.replace("defineEvaluation }", "AgentEvaluator }")
    .replace("export default defineEvaluation(", "const evaluation = new AgentEvaluator(")
    .concat(ending);
  const cwd = aProject({ "echo.mts": script });
  const { code, stdout, stderr } = await runCli(["run", "echo.mts"], { cwd });
  expect(stderr).toBe(
    "error: echo.mts is a script that runs its own evaluation; start it with node echo.mts\n",
  );
  expect([code, stdout]).toEqual([1, ""]);
  expect(existsSync(join(cwd, ".agent-evaluator"))).toBe(false);
});

test("a mistake in the last of several files is found before the first one runs", async () => {
  const cwd = aProject({ "a.eval.ts": GOOD, "b.eval.ts": GOOD.replace("models:", "trials: -1, models:") });
  const { code, stdout, stderr } = await runCli(["run", "a.eval.ts", "b.eval.ts"], { cwd });
  expect(stderr).toContain("error: b.eval.ts: the evaluation's options are not valid:\n  trials: ");
  expect([code, stdout]).toEqual([1, ""]);
});

test("an unknown problem, evaluation or run is named with what there is", async () => {
  const cwd = aProject({ "a.eval.ts": GOOD });
  const problem = await runCli(["run", "a.eval.ts", "--problem", "two"], { cwd });
  expect([problem.code, problem.stderr]).toEqual([
    1,
    'error: a.eval.ts: there is no problem "two"; the first ids are one\n',
  ]);
  await runCli(["run", "a.eval.ts", "--isolation", "none"], { cwd });
  const evaluation = await runCli(["show", "nothing"], { cwd });
  expect(evaluation.stderr).toContain('error: No evaluation "nothing". Run `list` to see all.\n');
  const run = await runCli(["show", "--run", "00000000"], { cwd });
  expect(run.stderr).toMatch(/^error: No run "00000000" in evaluation-\w+; --logs shows all runs\.\n/);
  expect([evaluation.code, run.code]).toEqual([2, 2]);
});

const JUDGED = GOOD.replace("defineEvaluation }", "all, defineEvaluation, judge, not }");
const judgedBy = (provider: string) =>
  JUDGED.replace(
    "() => true",
    `all(not(judge({ provider: "${provider}", model: "m", rubric: "It is good." })))`,
  );

test.each([
  ["a judge without its key", judgedBy("openai"), [], "openai: set OPENAI_API_KEY\n"],
  [
    "a judge of nobody's",
    judgedBy("opnai"),
    [],
    'resultChecker: unknown provider "opnai"; the providers are openai,',
  ],
  [
    "a provider that Hugging Face has not",
    GOOD,
    ["huggingface:tgether/a/b"],
    'has no provider "tgether"; the providers are',
  ],
])("%s is told before anything runs", async (_what, text, models, message) => {
  const cwd = aProject({ "a.eval.ts": text });
  const flags = models.flatMap((model) => ["--model", model]);
  const { code, stdout, stderr } = await runCli(["run", "a.eval.ts", ...flags], { cwd });
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(message)]);
  expect(existsSync(join(cwd, ".agent-evaluator"))).toBe(false);
});

test("a scripted model that the file has no script for is refused with those it has", async () => {
  const cwd = aProject({
    "a.eval.ts": GOOD.replace("models:", 'scripts: { a: [{ say: "x" }], b: [] }, models:'),
  });
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--model", "scripted/zzz"], { cwd });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("--model scripted/zzz has no script; the file has scripts for a, b.\n"),
  ]);
});

test("a model without its key says which variable to set", async () => {
  const cwd = aProject({ "a.eval.ts": GOOD });
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--model", "openai/gpt-5-mini"], { cwd });
  expect(stderr).toContain("openai: set OPENAI_API_KEY\n");
  expect(code).toBe(1);
});

test("--debug shows where an error comes from, whichever step it was", async () => {
  const files = {
    "a.eval.ts": THROWS,
    "b.eval.ts": UNREADABLE,
  };
  const cwd = aProject(files);
  for (const file of Object.keys(files)) {
    const plain = await runCli(["run", file], { cwd });
    const debugged = await runCli(["run", file, "--debug"], { cwd });
    expect(plain.stderr).not.toContain("src/");
    expect(debugged.stderr.startsWith(plain.stderr)).toBe(true);
    expect(debugged.stderr.slice(plain.stderr.length)).toMatch(/^ +at .*src\/.*\.ts:\d+:\d+/m);
  }
});

const BREAKS_ITS_STORE = `
import { writeFileSync } from "node:fs";
${GOOD.replace("problem: 1 }", 'problem: 1 }, "breaks"').replace("() => () => 1", "(_p, _m, _t, problem) => () => answer(problem)")}
function answer(problem: unknown) {
  if (problem === 1) return 1;
  writeFileSync(".agent-evaluator/bodies", "no folder");
  return "large".repeat(5_000);
}
`;

test("a store that breaks on the way keeps what it has, and the message says how to go on", async () => {
  const cwd = aProject({ "a.eval.ts": BREAKS_ITS_STORE });
  const args = ["run", "a.eval.ts", "--isolation", "none", "--concurrency", "1"];
  const { code, stderr } = await runCli(args, { cwd });
  const [, id = ""] =
    /^error: The store .*\nResume with: node .* run a\.eval\.ts --resume (\S+)\n$/.exec(stderr) ?? [];
  expect(code).toBe(1);
  const { stdout } = await runCli(["show", id, "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    evaluation: { status: "broken" },
    logs: [{ result: 1, correct: true }],
  });
});

test("a file that is not a store is one clear message", async () => {
  const cwd = aProject({ "a.eval.ts": GOOD, store: "a file, not a folder" });
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--store", "store"], { cwd });
  expect(stderr).toMatch(/^error: .*store/);
  expect(stderr).not.toContain("    at ");
  expect(code).toBe(1);
});
