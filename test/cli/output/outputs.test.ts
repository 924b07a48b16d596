import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { makeProject, removeProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const CAPITALS = readFileSync(evalFile("capitals"), "utf8")
  .replace(/ *console.log.*\n/, "")
  // An answer that would be a formula, break a table and mention somebody.
  .replace('say: "Quito"', 'say: "=1+1 | \\"<b>\\", @everyone\\n& more \\u0007"');

let cwd: string;
beforeAll(async () => {
  cwd = makeProject({ "capitals.eval.ts": CAPITALS, "step.md": "before\n" });
  const outputs = ["--junit", "out/junit.xml", "--jsonl", "out/runs.jsonl", "--csv", "out/runs.csv"];
  const { code, stderr } = await runCli(["run", "capitals.eval.ts", "--quiet", ...outputs], {
    cwd,
    env: { GITHUB_STEP_SUMMARY: join(cwd, "step.md") },
  });
  expect([code, stderr]).toEqual([0, ""]);
});
afterAll(() => removeProject(cwd));

const read = (file: string): string => readFileSync(join(cwd, file), "utf8");
const masked = (text: string): string =>
  text.replaceAll(/time="[\d.]+"/g, 'time="T"').replaceAll(/timestamp="[^"]+"/g, 'timestamp="T"');

test("--junit has a suite per model and a case per run", () => {
  expect(masked(read("out/junit.xml")).split("\n")).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    '  <testsuite name="capitals scripted/steady" tests="3" failures="0" errors="0" skipped="0" time="T" timestamp="T">',
    '    <testcase name="france" classname="capitals scripted/steady" time="T"/>',
    '    <testcase name="peru" classname="capitals scripted/steady" time="T"/>',
    '    <testcase name="japan" classname="capitals scripted/steady" time="T"/>',
    "  </testsuite>",
    '  <testsuite name="capitals scripted/shaky" tests="3" failures="1" errors="1" skipped="0" time="T" timestamp="T">',
    '    <testcase name="france" classname="capitals scripted/shaky" time="T"/>',
    expect.stringMatching(
      /name="peru".*<failure type="wrong" message="got =1\+1 \| &#34;&#60;b&#62;&#34;, @everyone/,
    ),
    '    <testcase name="japan" classname="capitals scripted/shaky" time="T"><error type="provider_error" message="the script answers provider_error"/></testcase>',
    "  </testsuite>",
    "</testsuites>",
    "",
  ]);
});

test("--jsonl has an entry per line, and compare reads it", async () => {
  const entries = read("out/runs.jsonl")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries.map(({ model, problemId }) => `${model} ${problemId}`)).toEqual([
    "steady france",
    "shaky france",
    "steady peru",
    "shaky peru",
    "steady japan",
    "shaky japan",
  ]);
  const { stdout } = await runCli(["compare", "out/runs.jsonl", "out/runs.jsonl", "--json"], { cwd });
  expect(JSON.parse(stdout).comparisons).toMatchObject([{ pairedProblems: 3 }, { pairedProblems: 2 }]);
});

test("--csv quotes what must be quoted and lets no answer be a formula", () => {
  const [titles, ...rows] = read("out/runs.csv").trimEnd().split("\r\n");
  expect(titles).toMatch(
    /^evaluationId,index,runId,round,model,problemId,trial,tags,correct,score,reason,cause,fault,/,
  );
  expect(rows).toHaveLength(6);
  expect(rows[3]).toContain(`,Capital of Peru?,Lima,"'=1+1 | ""<b>"", @everyone\n& more \u0007"`);
  expect(rows[5]).toContain(",provider_error,infrastructure,the script answers provider_error,");
});

test("in a step of GitHub's Actions the summary is added to what is there", () => {
  const lines = read("step.md").split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "before",
    "## capitals",
    "",
    expect.stringMatching(/^6 runs finished in \S+$/),
  ]);
  expect(lines).toContain("| model | accuracy | correct | cost | p50 | p95 | tokens |");
  expect(lines.find((line) => line.startsWith("| scripted/shaky"))).toMatch(
    /^\| scripted\/shaky \| 50.0% 9–91 \| 1\/2 · 1 lost \|/,
  );
  expect(read("step.md")).toContain(
    "- No significant difference between scripted/steady and scripted/shaky: +50.0 points",
  );
  expect(lines).toContain(
    "| 1 | provider\\_error | infrastructure | scripted/shaky | the script answers provider\\_error |",
  );
});

test("show writes the same files of a stored evaluation, and leaves the step's summary alone", async () => {
  const before = read("step.md");
  const args = [
    "show",
    "--jsonl",
    "again.jsonl",
    "--junit",
    "again.xml",
    "--csv",
    "again.csv",
    "--summary",
    "again.md",
  ];
  const { code } = await runCli(args, { cwd, env: { GITHUB_STEP_SUMMARY: join(cwd, "step.md") } });
  expect(code).toBe(0);
  expect(read("again.jsonl")).toBe(read("out/runs.jsonl"));
  expect(read("again.xml")).toBe(read("out/junit.xml"));
  expect(read("again.csv")).toBe(read("out/runs.csv"));
  expect(`before\n${read("again.md")}`).toBe(before);
});

test("the summary shows the baseline, with its verdicts", async () => {
  const args = [
    "run",
    "capitals.eval.ts",
    "--quiet",
    "--baseline",
    "out/runs.jsonl",
    "--summary",
    "with-baseline.md",
  ];
  expect((await runCli(args, { cwd })).code).toBe(0);
  expect(read("with-baseline.md")).toContain("### Against out/runs.jsonl");
  expect(read("with-baseline.md")).toMatch(
    /\| scripted\/steady \| 3 \| 0\.0 \| .* \| 1\.00 \| not distinguishable: nothing could show \|/,
  );
});

test("the summary of several trials has pass@k", async () => {
  const args = ["run", "capitals.eval.ts", "--quiet", "--trials", "2", "--summary", "trials.md"];
  expect((await runCli(args, { cwd })).code).toBe(0);
  expect(read("trials.md")).toContain(
    "| p95 | tokens | pass@2 | pass^2 |".replace("@", "<span>&#64;</span>"),
  );
});

const HOSTILE =
  "::error::no ##[add-mask]a \\x9b2J @all me@evil.com #1 GH-1 www.evil.com https://evil.com $x$ $2";

test("what a model says is no command of GitHub, neither in the log nor in the summary", async () => {
  const says = `if (model === "shaky") throw new Error("${HOSTILE}"); return content`;
  const folder = makeProject({ "capitals.eval.ts": CAPITALS.replace("return content", says) });
  const flags = ["--summary", "s.md", "--jsonl", "l.jsonl"];
  const { stdout } = await runCli(["run", "capitals.eval.ts", ...flags], { cwd: folder });
  const { stdout: json } = await runCli(["show", "--json"], { cwd: folder });
  const { logs } = JSON.parse(json);
  const [{ runId, failure }] = logs.filter(({ model }: { model: string }) => model === "shaky");
  const { stdout: page } = await runCli(["show", "--run", runId], { cwd: folder });
  const files = ["s.md", "l.jsonl"].map((file) => readFileSync(join(folder, file), "utf8"));
  for (const text of [stdout, json, page, ...files]) {
    expect(text).toContain("add-mask");
    expect(text).not.toMatch(/^\s*::[\w-]+.*::|##[a-z]*\[|\x9b/m);
  }
  expect(failure.message).toContain("::error::no ##[add-mask]a \x9b2J @all");
  expect(files[0]).toContain(
    "::error::no \\\\x23<span>&#35;</span>\\[add-mask\\]a \\\\x9b2J <span>&#64;</span>all me<span>&#64;</span>evil.com <span>&#35;</span>1 GH<span>&#45;</span>1 " +
      "www<span>&#46;</span>evil.com https<span>&#58;</span>//evil.com <span>&#36;</span>x<span>&#36;</span> $2",
  );
  removeProject(folder);
});

test("a file that cannot be written is known before anything runs", async () => {
  const { code, stderr } = await runCli(["run", "capitals.eval.ts", "--csv", "."], { cwd });
  expect([code, stderr]).toEqual([1, expect.stringContaining("EISDIR")]);
  const { stdout } = await runCli(["list", "--json"], { cwd });
  expect(JSON.parse(stdout).evaluations).toHaveLength(3);
});

test("of several evaluations every file has one after another", async () => {
  const second = CAPITALS.replace('name: "capitals"', 'name: "second"');
  const folder = makeProject({ "a.eval.ts": CAPITALS, "b.eval.ts": second });
  const args = [
    "run",
    "a.eval.ts",
    "b.eval.ts",
    "--quiet",
    "--junit",
    "j.xml",
    "--csv",
    "c.csv",
    "--summary",
    "s.md",
  ];
  await runCli(args, { cwd: folder });
  const text = (file: string) => readFileSync(join(folder, file), "utf8");
  expect(text("j.xml").match(/<testsuite /g)).toHaveLength(4);
  expect(text("j.xml").match(/<testsuites>/g)).toHaveLength(1);
  expect(text("c.csv").match(/^evaluationId,/gm)).toHaveLength(1);
  expect(text("s.md").match(/^## /gm)).toHaveLength(2);
  removeProject(folder);
});
