import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { csv } from "../../src/datasets/datasets.ts";
import { loadDefinition } from "../../src/local/load-definition.ts";
import { codeFile } from "../fixtures/bundle/code-file.ts";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { evalFile, runFile } from "../fixtures/run/run-file.ts";

test("rows of a file beside the evaluation are its problems", async () => {
  const { logs } = await runFile("sums");
  expect(logs.map(({ problem, correct, tags }) => [problem, correct, tags])).toEqual([
    ["1 + 1", true, ["easy"]],
    ["20 + 22", true, ["easy", "large"]],
    ["1000 + 1", true, ["large"]],
  ]);
});

test("a row that is there twice counts once, is told about, and is repeated by trials alone", async () => {
  const cwd = aProject({ "doubled.csv": "problem,expected\n1 + 1,2\n2 + 2,4\n1 + 1,2\n2 + 2,4\n3 + 3,6\n" });
  const warnings: string[] = [];
  const listener = { warning: (message: string) => void warnings.push(message) };
  const problems = csv(join(cwd, "doubled.csv"));
  const { record, logs, store } = await runFile("sums", { problems, trials: 2 }, { listener });
  expect([record.problemCount, record.trials]).toEqual([3, 2]);
  expect(logs.map(({ problem }) => problem)).toEqual(["1 + 1", "1 + 1", "2 + 2", "2 + 2", "3 + 3", "3 + 3"]);
  expect(warnings).toEqual([
    "2 problems repeat earlier ones and are skipped (the first is problems[2]); " +
      "use `trials` to repeat runs, or give equal problems their own ids",
  ]);
  await runFile("sums", { problems }, { listener, store, resume: record.id });
  expect(warnings).toHaveLength(1);
});

test("a run's process holds nothing of what reads them", async () => {
  const { bundle } = await loadDefinition(evalFile("sums"));
  const text = readFileSync(codeFile(bundle), "utf8");
  expect(text).toContain("sums.csv");
  expect(text).not.toContain("a quote is opened and never closed");
});

const BESIDE = (rest: string) => `
import { csv, defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "beside",
  models: [["scripted", "any"]],
  problems: csv("problems.csv"),
  ${rest}
  buildAgent: () => async () => "2",
  resultChecker: (result, expected) => result === expected,
});
`;

test.each([
  ["read apart", "evals/", ""],
  ["read here", "evals/", 'isolation: "none",'],
  ["in the current folder, read apart", "", ""],
  ["in the current folder, read here", "", 'isolation: "none",'],
])(
  "a relative path is found beside the evaluation first, then in the current folder (%s)",
  async (_, at, rest) => {
    const files = {
      "package.json": "{}",
      "evals/beside.eval.ts": BESIDE(rest),
      [`${at}problems.csv`]: "problem,expected\n1 + 1,2\n",
    };
    const other = at === "" ? {} : { "problems.csv": "problem,expected\nnot this,0\n" };
    const cwd = aProject({ ...files, ...other });
    const { stdout, stderr } = await runCli(["run", "evals/beside.eval.ts", "--json"], { cwd });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).logs).toMatchObject([{ problem: "1 + 1", correct: true }]);
  },
);
