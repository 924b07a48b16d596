import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { makeProject, removeProject, writeFiles } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const CAPITALS = readFileSync(evalFile("capitals"), "utf8");
let cwd: string;
beforeAll(() => {
  cwd = makeProject({ "evals/capitals.eval.ts": CAPITALS });
});
afterAll(() => removeProject(cwd));

interface Document {
  readonly evaluation: { readonly name: string; readonly file: string; readonly limits: object };
  readonly stats: Record<string, { readonly finished: number; readonly correct: number }>;
  readonly logs: LogEntry[];
}

async function runJson(...flags: string[]): Promise<Document> {
  const { code, stdout, stderr } = await runCli(["run", "evals/capitals.eval.ts", "--json", ...flags], {
    cwd,
  });
  expect([code, stderr.includes("error")]).toEqual([0, false]);
  return JSON.parse(stdout);
}

const runsOf = ({ logs }: Document): string[] =>
  logs.map(({ model, problemId, trial }) => `${model} ${problemId} ${trial}`);

test("--json prints one document on stdout, and what the definition prints goes to stderr", async () => {
  const { code, stdout, stderr } = await runCli(["run", "evals/capitals.eval.ts", "--json"], { cwd });
  const document: Document = JSON.parse(stdout);
  expect(Object.keys(document)).toEqual(["evaluation", "stats", "report", "gates", "logs"]);
  expect(document.evaluation).toMatchObject({ name: "capitals", file: "evals/capitals.eval.ts" });
  expect(document.stats["scripted/shaky"]).toMatchObject({ finished: 3, correct: 1, failed: 1 });
  expect(runsOf(document)).toEqual([
    "steady france 1",
    "shaky france 1",
    "steady peru 1",
    "shaky peru 1",
    "steady japan 1",
    "shaky japan 1",
  ]);
  expect(stderr).toContain("steady was asked: Capital of France?");
  expect(code).toBe(0);
});

test("--model, --problem, --limit and --trials choose the runs", async () => {
  const chosen = await runJson("--model", "scripted/shaky", "--problem", "peru", "--problem", "japan");
  expect(runsOf(chosen)).toEqual(["shaky peru 1", "shaky japan 1"]);
  const repeated = await runJson("--limit", "1", "--trials", "2", "--model=scripted/steady");
  expect(runsOf(repeated)).toEqual(["steady france 1", "steady france 2"]);
});

test("--tag and --sample choose among the rows of a file beside the evaluation", async () => {
  const [sums, rows] = [
    readFileSync(evalFile("sums"), "utf8"),
    readFileSync(evalFile("sums", ".csv"), "utf8"),
  ];
  writeFiles(cwd, { "sums/sums.eval.ts": sums, "sums/sums.csv": rows });
  const problemsOf = async (...flags: string[]) => {
    const { stdout } = await runCli(["run", "sums.eval.ts", "--json", ...flags], { cwd: join(cwd, "sums") });
    const { logs }: Document = JSON.parse(stdout);
    return logs.map(({ problem, correct }) => [problem, correct]);
  };
  expect(await problemsOf("--tag", "large")).toEqual([
    ["20 + 22", true],
    ["1000 + 1", true],
  ]);
  const drawn = await problemsOf("--sample", "1", "--seed", "7");
  expect(drawn).toHaveLength(1);
  expect(await problemsOf("--sample", "1", "--seed", "7")).toEqual(drawn);
});

test("--isolation process gives every run a process of its own, pool shares one", async () => {
  const pids = async (...flags: string[]) =>
    new Set((await runJson("--model", "scripted/steady", ...flags)).logs.map(({ pid }) => pid));
  expect((await pids("--isolation", "process")).size).toBe(3);
  expect((await pids("--isolation", "pool", "--concurrency", "1")).size).toBe(1);
});

test("--concurrency 1 runs one after another", async () => {
  const { logs } = await runJson("--concurrency", "1");
  const overlaps = logs.slice(1).filter((entry, at) => entry.startedAt < (logs[at]?.endedAt ?? ""));
  expect(overlaps).toEqual([]);
});

test("--timeout ends a run that works for too long", async () => {
  const { stdout } = await runCli(
    ["run", evalFile("waiting"), "--json", "--limit", "1", "--timeout", "1", "--isolation", "pool"],
    { cwd },
  );
  const { logs, evaluation }: Document = JSON.parse(stdout);
  expect(logs.map(({ failure }) => failure?.cause ?? null)).toEqual([null, "timeout"]);
  expect(evaluation.limits).toMatchObject({ timeoutSeconds: 1 });
});

test("--min-accuracy fails the command when a model is not good enough", async () => {
  const args = ["run", "evals/capitals.eval.ts", "--quiet", "--min-accuracy"];
  const [met, missed, chance, allowed] = await Promise.all([
    runCli([...args, "0.05"], { cwd }),
    runCli([...args, "0.8"], { cwd }),
    runCli([...args, "0.3"], { cwd }),
    runCli([...args, "0.3", "--allow-undecided"], { cwd }),
  ]);
  expect([met.code, met.stderr]).toEqual([0, ""]);
  expect([missed.code, missed.stderr]).toEqual([
    3,
    "✗ scripted/shaky: accuracy 50.0% (95% CI 9–91, 2 problems) is under 80.0%\n",
  ]);
  const says =
    "? scripted/shaky: cannot tell: accuracy 50.0% (95% CI 9–91, 2 problems) reaches 30.0%, maybe by chance; " +
    "if it stays so, about 21 problems would decide\n";
  expect([chance.code, chance.stderr]).toEqual([5, says]);
  expect([allowed.code, allowed.stderr]).toEqual([0, says]);
});

test("--store keeps the evaluation elsewhere, and the next steps say so", async () => {
  const { stdout } = await runCli(["run", "evals/capitals.eval.ts", "--store", "kept here"], { cwd });
  expect(stdout).toMatch(/show capitals-\w+ --failed --store 'kept here'/);
  const { stdout: listed } = await runCli(["list", "--store", "kept here", "--json"], { cwd });
  expect(JSON.parse(listed).evaluations).toHaveLength(1);
});

test("files, folders and globs name evaluations, each once", async () => {
  const second = CAPITALS.replace('name: "capitals"', 'name: "second"');
  writeFiles(cwd, { "more/deep/second.eval.ts": second, "more/node_modules/x/no.eval.ts": "nonsense(" });
  const args = ["run", "more", "more/**/*.eval.ts", "evals/*.eval.ts", "--json", "--limit", "1"];
  const { stdout, code } = await runCli(args, { cwd });
  const { evaluations }: { evaluations: Document[] } = JSON.parse(stdout);
  expect(evaluations.map(({ evaluation }) => evaluation.file)).toEqual([
    "more/deep/second.eval.ts",
    "evals/capitals.eval.ts",
  ]);
  expect(code).toBe(0);
});

test(".env beside the project is read, and what is set already wins", async () => {
  const keyed = CAPITALS.replace('name: "capitals"', 'name: process.env.NAME ?? "none"').replace(
    'isolation: "none"',
    'isolation: "none", tags: [process.env.TAG ?? "none"]',
  );
  writeFiles(cwd, { "keyed.eval.ts": keyed, ".env": "NAME=from-file\nTAG=from-file\n" });
  const args = ["run", "keyed.eval.ts", "--json", "--limit", "1"];
  const { stdout } = await runCli(args, { cwd, env: { TAG: "from-shell" } });
  expect(JSON.parse(stdout).evaluation).toMatchObject({ name: "from-file", tags: ["from-shell"] });
});
