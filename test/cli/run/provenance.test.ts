import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemId } from "../../../src/domain/ids.ts";
import { digestOfProblems, type Problem } from "../../../src/domain/problem.ts";
import { sha256 } from "../../../src/system/digest.ts";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject, writeFiles } from "../../fixtures/files/a-project.ts";

const EVALUATION = (question: string, name = "a") => `
import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "${name}",
  models: [["scripted", "one"]],
  isolation: "none",
  problems: [{ id: "kept", problem: "same", expected: 1 }, { id: "q", problem: "${question}", expected: 1 }],
  buildAgent: () => () => 1,
  resultChecker: (result, expected) => result === expected,
});`;

test("an evaluation keeps the commit, whether files differed, the problems' digest and the version", async () => {
  const cwd = aProject({ "a.eval.ts": EVALUATION("old"), ".gitignore": ".agent-evaluator" });
  const run = async () => {
    const { stdout } = await runCli(["run", "a.eval.ts", "--json"], { cwd });
    return JSON.parse(stdout).evaluation;
  };
  expect((await run()).provenance).toMatchObject({ commit: null, isDirty: null });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "a");
  const clean = await run();
  const commit = git("rev-parse", "HEAD").trim();
  const version = expect.stringMatching(/^\d+\./);
  const problems = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(clean.provenance).toEqual({ commit, isDirty: false, version, problems });
  writeFiles(cwd, { "a.eval.ts": EVALUATION("new") });
  const changed = await run();
  expect(changed.provenance).toMatchObject({ commit, isDirty: true });
  expect(changed.provenance.problems).not.toBe(clean.provenance.problems);
  const { stdout } = await runCli(["show", changed.id], { cwd });
  expect(stdout).toContain(`commit ${commit.slice(0, 7)} with changes · code `);
});

test("compare and --baseline warn of problems that changed under the same id, and only then", async () => {
  const cwd = aProject({ "a.eval.ts": EVALUATION("old") });
  const first = await runCli(["run", "a.eval.ts", "--json"], { cwd });
  writeFileSync(join(cwd, "first.json"), first.stdout);
  const baseline = ["--baseline", "first.json", "--quiet"];
  expect((await runCli(["run", "a.eval.ts", ...baseline], { cwd })).stderr).not.toContain("same id");
  writeFiles(cwd, { "a.eval.ts": EVALUATION("new") });
  const second = await runCli(["run", "a.eval.ts", "--baseline", "first.json", "--json"], { cwd });
  expect(second.stderr).toContain("1 problem changed since first.json but kept the same id (q)");
  const [old, now] = [first, second].map(({ stdout }): string => JSON.parse(stdout).evaluation.id);
  const compared = await runCli(["compare", String(old), String(now)], { cwd });
  expect(compared.stderr).toContain(`1 problem changed since ${old} but kept the same id (q)`);
});

test("the digest of problems knows ids and contents, and no order", () => {
  const aProblem = (id: string, problem = "q") => ({
    id: ProblemId.parse(id),
    problem,
    expected: null,
    tags: [],
  });
  const digest = (...problems: Problem[]) => digestOfProblems(problems, sha256);
  const both = digest(aProblem("a"), aProblem("b"));
  expect(digest(aProblem("b"), aProblem("a"))).toBe(both);
  expect(digest(aProblem("a"), aProblem("c"))).not.toBe(both);
  expect(digest(aProblem("a"), aProblem("b", "another"))).not.toBe(both);
});
