import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROVIDER_TABLE } from "../../src/providers/table.ts";
import { GithubRepository } from "../fixtures/docs/github-repository.ts";
import { blocksOf, programs, REPO } from "../fixtures/docs/readme.ts";
import { readWorkflow } from "../fixtures/docs/workflow.ts";

const [TEXT = ""] = blocksOf("yaml", readFileSync(join(REPO, "docs/guides/ci-gate.md"), "utf8"));
const [, FILE = ""] = /^# (\S+)\n/.exec(TEXT) ?? [];
const { permissions, jobs } = readWorkflow(TEXT);

/** The newest release of each, as their repositories had it in November 2026; a tag could be moved, a commit cannot. */
const CURRENT = {
  "actions/checkout": "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
  "actions/setup-node": "820762786026740c76f36085b0efc47a31fe5020 # v7.0.0",
  "actions/upload-artifact": "bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0",
};

test("every action is pinned to the commit of its current release, here and in our own workflow", () => {
  const own = readFileSync(join(REPO, ".github/workflows/ci.yml"), "utf8");
  const used = [...`${TEXT}${own}`.matchAll(/uses: ([^\s@]+)@?(.*)$/gm)];
  expect(used).toHaveLength(5);
  for (const [, name = "", pinned] of used)
    expect([name, pinned]).toEqual([name, Reflect.get(CURRENT, name)]);
  const checkouts = [...`${TEXT}${own}`.matchAll(/uses: actions\/checkout.*\n +with: \{ (.*) \}$/gm)];
  expect(checkouts.map(([, inputs]) => inputs)).toEqual(Array(2).fill("persist-credentials: false"));
});

test("the token is given to the steps that call GitHub, and to no other", () => {
  const token = `\${{ github.token }}`;
  expect(Object.values(jobs.evaluate.env)).not.toContain(token);
  for (const { run = "", env } of jobs.evaluate.steps)
    expect([run, env.GH_TOKEN]).toEqual([run, /\bgh /.test(run) ? token : undefined]);
});

test("it may comment, read code and artifacts, and nothing else", () => {
  expect(permissions).toEqual({ actions: "read", contents: "read", "pull-requests": "write" });
});

test("it has the keys of the providers that the README's evaluation names", () => {
  const [models = ""] = /models: \[[\s\S]*?\n {2}\]/.exec(programs()["evals/echo.eval.ts"] ?? "") ?? [];
  const providers = [...models.matchAll(/\["(\w+)", /g)].map(([, name = ""]) => name);
  const keys = providers.flatMap((name) => Reflect.get(PROVIDER_TABLE, name).variables(null).apiKey);
  const step = jobs.evaluate.steps.find(({ run }) => run?.includes("agent-evaluator run"));
  expect(step?.env).toEqual(Object.fromEntries(keys.map((key) => [key, `\${{ secrets.${key} }}`])));
});

/** Twelve problems, of which the model gets so many wrong. */
const anEvaluation = (wrong: number): string => `import { defineEvaluation } from "agent-evaluator";

const numbers = Array.from({ length: 12 }, (_, index) => index);
export default defineEvaluation({
  name: "echo",
  models: [["scripted", "parrot"]],
  problems: numbers.map((number) => [\`echo \${number}.\`, \`\${number}.\`]),
  buildAgent: (provider, model, _tools, problem) => async () =>
    (await provider.generate({ model, messages: [{ role: "user", content: problem }] })).content,
  resultChecker: (result, expected) => result === expected,
  scripts: { parrot: numbers.map((n) => ({ when: \`echo \${n}.\`, say: n < ${wrong} ? "?" : \`\${n}.\` })) },
  isolation: "none",
});
`;
const GOOD = anEvaluation(0);
const WORSE = anEvaluation(9);

let repository: GithubRepository;
beforeAll(() => {
  repository = new GithubRepository(FILE, jobs.evaluate);
  repository.addComment({ id: 1, user: { type: "User" }, body: "## echo\n\nWhat does that mean?" });
  repository.addComment({ id: 2, user: { type: "Bot" }, body: "## Coverage" });
});
afterAll(() => repository.remove());

/** What it says on the pull request, beside what others say there. */
function comment(): string {
  const [first, second, ...ours] = repository.comments();
  expect([first?.body, second?.body]).toEqual(["## echo\n\nWhat does that mean?", "## Coverage"]);
  expect(ours).toHaveLength(1);
  return ours[0]?.body ?? "";
}

test("the first pull request has nothing to be compared with, and gets its comment", async () => {
  const { conclusion, printed } = await repository.pullRequest({ evaluation: GOOD });
  expect(conclusion, printed).toBe("success");
  expect(comment()).toMatch(/^## echo\n[\s\S]*\| scripted\/parrot \| 100% /);
  expect(comment()).not.toContain("Against");
});

test("a push to main keeps its runs, good or not, and comments nowhere", async () => {
  const { conclusion, printed } = await repository.push({ evaluation: GOOD });
  expect(conclusion, printed).toBe("success");
  expect(comment()).not.toContain("Against");
});

test("a pull request that is as good passes, and its comment is edited", async () => {
  const { conclusion, printed } = await repository.pullRequest({ evaluation: GOOD });
  expect(conclusion, printed).toBe("success");
  expect(comment()).toContain("### Against main/runs.jsonl");
});

test("a pull request that is worse fails, and its comment says so", async () => {
  const { conclusion, codes, printed } = await repository.pullRequest({ evaluation: WORSE });
  expect([conclusion, codes], printed).toEqual(["failure", [0, 0, 3, 0]]);
  expect(comment()).toMatch(/\| scripted\/parrot \| 12 \| −75\.0 \|.*\| worse \|/);
});

test.each([
  ["as good", GOOD, "success"],
  ["worse", WORSE, "failure"],
])("a token that may not write changes nothing for one that is %s", async (_, evaluation, expected) => {
  const before = comment();
  const { conclusion, printed } = await repository.pullRequest({ evaluation, token: "read-only" });
  expect(conclusion, printed).toBe(expected);
  expect(comment()).toBe(before);
  expect(repository.page()).toMatch(/^## echo\n[\s\S]*### Against/);
});

test("a pull request from a fork is skipped", async () => {
  const { conclusion } = await repository.pullRequest({ evaluation: WORSE, from: "you/mine" });
  expect(conclusion).toBe("skipped");
});

test("a baseline that is gone does not leave the gate open", async () => {
  await repository.push({ evaluation: GOOD });
  repository.expireArtifacts();
  const { conclusion, codes, printed } = await repository.pullRequest({ evaluation: GOOD });
  expect([conclusion, codes], printed).toEqual(["failure", [0, 1, 1]]);
  expect(printed).toContain("no valid artifacts found to download");
});
