import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { makeProject, removeProject } from "../../fixtures/files/a-project.ts";

/** 30 problems; a model named right-N has the first N right, and with STEADY=down no model can be asked. */
const COUNTING = `
import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "counting",
  models: [["scripted", "right-30"], ["scripted", "steady"]],
  problems: Array.from({ length: 30 }, (_, at) => ({ id: \`p\${at}\`, problem: at, expected: "yes" })),
  isolation: "none",
  buildAgent: (provider, model, _tools, problem) => async () => {
    if (process.env.STEADY === "down") await provider.generate({ model, messages: [{ role: "user", content: "?" }] });
    const right = model === "steady" ? Number(process.env.STEADY ?? 30) : Number(model.split("-")[1]);
    return Number(problem) < right ? "yes" : "no";
  },
  resultChecker: (result, expected) => result === expected,
  scripts: { "right-30": [{ fail: "provider_error" }], "right-3": [], steady: [{ fail: "provider_error" }] },
});
`;

let cwd: string;
let good: string;
let slightlyWorse: string;
let worse: string;

beforeAll(async () => {
  cwd = makeProject({ "counting.eval.ts": COUNTING });
  good = await evaluate("30");
  slightlyWorse = await evaluate("28");
  worse = await evaluate("20");
});
afterAll(() => removeProject(cwd));

async function evaluate(steady: string): Promise<string> {
  const { stdout } = await runCli(["run", "counting.eval.ts", "--json"], { cwd, env: { STEADY: steady } });
  writeFileSync(join(cwd, `steady-${steady}.json`), stdout);
  return JSON.parse(stdout).evaluation.id;
}

const gate = (baseline: string, steady: string, ...flags: string[]) =>
  runCli(["run", "counting.eval.ts", "--baseline", baseline, ...flags], { cwd, env: { STEADY: steady } });

test("compare says what changed for every model that both have", async () => {
  const { code, stdout, stderr } = await runCli(["compare", good, worse], { cwd });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toEqual([
    worse,
    "",
    `Against ${good}, on the problems that both have`,
    "model              problems  difference             95%      p  verdict",
    "scripted/right-30        30         0.0    −8.7 to +8.7   1.00  not distinguishable: 33 points would show",
    "scripted/steady          30       −33.3  −49.5 to −13.0  0.004  worse",
    "Difference: percentage points of the mean share of correct runs per problem, with its 95% interval for problems like these.",
    "p: corrected for 2 comparisons (Holm).",
    "",
  ]);
});

test("without words it compares the last two of the newest name, which names say too", async () => {
  const pair = async (...words: string[]) => {
    const { baseline, candidate } = JSON.parse(
      (await runCli(["compare", ...words, "--json"], { cwd })).stdout,
    );
    return [baseline, candidate];
  };
  expect(await pair()).toEqual([slightlyWorse, worse]);
  expect(await pair("counting@previous", "counting@latest")).toEqual([slightlyWorse, worse]);
  expect(await pair("counting@latest:scripted/steady", good)).toEqual([worse, good]);
  const shown = await runCli(["show", "counting@previous", "--json"], { cwd });
  expect(JSON.parse(shown.stdout).evaluation.id).toBe(slightlyWorse);
});

test("one evaluation of a name is not enough to compare", async () => {
  const alone = makeProject({ "counting.eval.ts": COUNTING });
  await runCli(["run", "counting.eval.ts", "--limit", "1", "--quiet"], { cwd: alone, env: { STEADY: "1" } });
  const errors = [["compare"], ["show", "counting@previous"]].map(async (words) => {
    const { code, stderr } = await runCli(words, { cwd: alone });
    return [code, stderr.split("\n")[0]];
  });
  expect(await Promise.all(errors)).toEqual([
    [2, 'error: There is only one evaluation named "counting"; run it again, then compare.'],
    [2, 'error: There is only one evaluation named "counting", none before it.'],
  ]);
  removeProject(alone);
});

test("a pair has the verdict that it has among all others, also when it is asked for alone", async () => {
  const compared = async (...words: string[]) =>
    JSON.parse((await runCli(["compare", ...words, "--json"], { cwd })).stdout).comparisons;
  const all = await compared(good, worse);
  const [alone] = await compared(`${good}:scripted/steady`, `${worse}:scripted/steady`);
  expect(alone).toEqual(all[1]);
  expect(alone.adjustedP).toBeCloseTo(2 * alone.pValue, 12);
});

test("compare takes models, files and JSON", async () => {
  const args = ["compare", `${good}:scripted/right-30`, `${worse}:scripted/steady`, "--json"];
  const document = JSON.parse((await runCli(args, { cwd })).stdout);
  expect(document).toMatchObject({
    baseline: good,
    candidate: worse,
    comparisons: [
      { model: "scripted/steady", baselineModel: "scripted/right-30", verdict: "worse", pairedProblems: 30 },
    ],
  });
  const files = await runCli(["compare", "steady-20.json", "steady-30.json", "--json"], { cwd });
  expect(JSON.parse(files.stdout).comparisons.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
    "not distinguishable",
    "better",
  ]);
});

test("the document of a run has its report, and how it does against a baseline", async () => {
  const args = ["run", "counting.eval.ts", "--json", "--baseline", good];
  const { evaluation, stats, report, against, logs } = JSON.parse(
    (await runCli(args, { cwd, env: { STEADY: "30" } })).stdout,
  );
  const [key = ""] = Object.keys(stats);
  const { accuracy, meanScore, passes, flaky, slices } = report.models[key];
  expect(accuracy).toEqual({ value: stats[key].accuracy, low: expect.any(Number), high: expect.any(Number) });
  expect([meanScore, passes, flaky, slices]).toEqual([null, [], [], []]);
  expect(report.comparisons).toMatchObject([{ first: key, interval: { low: expect.any(Number) } }]);
  expect(against).toMatchObject({ baseline: good, comparisons: expect.any(Array) });
  expect(logs[0].evaluationId).toBe(evaluation.id);
});

test("a difference that chance could make is not called one", async () => {
  const { stdout } = await runCli(["compare", good, slightlyWorse, "--json"], { cwd });
  const [, steady] = JSON.parse(stdout).comparisons;
  expect(steady).toMatchObject({
    difference: -2 / 30,
    pValue: expect.closeTo(0.5),
    verdict: "not distinguishable",
  });
  expect(steady.problemsNeeded).toBeGreaterThan(30);
});

test.each([
  [["compare", "a"], "compare takes two"],
  [
    ["compare", "countin@latest", "counting@latest"],
    'No evaluation is named "countin". Did you mean counting?',
  ],
  [["compare", "a", "b", "c"], "compare takes two"],
  [["compare", "nonsense", "more"], 'No evaluation "nonsense". Run `list` to see all.'],
  [["compare", "counting.eval.ts", "more"], "counting.eval.ts is not the output of --json or --jsonl"],
  [["run", "counting.eval.ts", "--fail-on-regression"], "--fail-on-regression needs a --baseline"],
  [["run", "counting.eval.ts", "--baseline", "nonsense"], 'No evaluation "nonsense". Run `list` to see all.'],
  [["run", "counting.eval.ts", "--baseline", "no.jsonl"], "The file no.jsonl does not exist"],
  [["compare", "old/run", "no.json"], "The file old/run does not exist"],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await runCli(args, { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("an unknown model is named with what is wrong", async () => {
  const { code, stderr } = await runCli(["compare", `${good}:scripted/nobody`, worse], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("scripted/nobody")]);
});

test("only a drop that is more than chance fails the gate", async () => {
  const [same, few, allowed, many] = await Promise.all([
    gate(good, "30", "--fail-on-regression", "--quiet"),
    gate(good, "28", "--fail-on-regression", "--quiet"),
    gate(good, "28", "--fail-on-regression", "--quiet", "--allow-undecided"),
    gate("steady-30.json", "20", "--fail-on-regression", "--quiet"),
  ]);
  const says = expect.stringMatching(
    /^\? scripted\/steady: cannot tell: 6\.7 points lower than in \S+, maybe by chance \(one-sided p 0\.25, 30 problems\); if it stays so, about 160 problems would decide\n$/,
  );
  expect([same.code, same.stderr]).toEqual([0, ""]);
  expect([few.code, few.stderr, allowed.code, allowed.stderr]).toEqual([5, says, 0, says]);
  expect([many.code, many.stderr]).toEqual([
    3,
    "✗ scripted/steady: worse than in steady-30.json by 33.3 points (one-sided p <0.001)\n",
  ]);
});

test("the gate sees a drop that a test of any difference leaves open, and says why", async () => {
  const { code, stdout, stderr } = await gate(good, "25", "--fail-on-regression");
  expect([code, stderr]).toEqual([3, ""]);
  const words = stdout.replaceAll(/\s+/g, " ");
  expect(words).toContain(`✗ scripted/steady: worse than in ${good} by 16.7 points (one-sided p 0.031)`);
  expect(stdout).toMatch(/0\.13 +not distinguishable, but a drop for a gate \(one-sided p 0\.031\)/);
  expect(stdout).toContain("A gate (--fail-on-regression) asks only whether a model got worse");
});

test("a baseline alone is told about and fails nothing", async () => {
  const { code, stdout, stderr } = await gate(good, "20");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Against ${good}, on the problems that both have`);
  expect(stdout).toMatch(/scripted\/steady +30 +−33.3 .* worse/);
});

test("a gate that has nothing to compare does not stay open", async () => {
  const { code, stderr } = await gate(
    good,
    "30",
    "--fail-on-regression",
    "--model",
    "scripted/right-3",
    "--quiet",
  );
  expect([code, stderr]).toEqual([
    1,
    `! Nothing was compared: ${good} has none of these models and problems.\n`,
  ]);
});

test("a gate against a baseline that has not ended does not stay open", async () => {
  const document = JSON.parse(readFileSync(join(cwd, "steady-30.json"), "utf8"));
  const running = { ...document, evaluation: { ...document.evaluation, status: "running" } };
  writeFileSync(join(cwd, "running.json"), JSON.stringify(running));
  const { code, stdout, stderr } = await gate("running.json", "20", "--fail-on-regression");
  expect([code, stderr]).toEqual([
    1,
    "! Nothing was compared: running.json has not ended; resume it, or compare with another.\n",
  ]);
  expect(stdout).toMatch(/scripted\/steady +30 +−33\.3 +– +– +too early/);
  expect(stdout).toContain(
    "Whether that is statistically significant is only reported when all runs have ended.",
  );
});

test("a gate with too few problems for any drop to count says so, and what to do", async () => {
  const few = [good, "0", "--limit", "2", "--fail-on-regression"] as const;
  const [alone, both, enough] = await Promise.all([
    gate(...few, "--model", "scripted/steady"),
    gate(...few, "--quiet"),
    gate(good, "0", "--limit", "4", "--model", "scripted/steady", "--fail-on-regression", "--quiet"),
  ]);
  const says = "With 2 problems no drop can be statistically significant";
  expect([alone.code, alone.stderr]).toEqual([5, `! ${says}; give it at least 4, or add --min-accuracy.\n`]);
  expect(alone.stdout).toContain(
    "not distinguishable: nothing could show; if really −100.0, about 6 problems",
  );
  expect(alone.stdout).toContain(
    "With 2 problems no difference can be statistically significant; that needs at least 6.\n",
  );
  expect(both.stderr).toContain(`! ${says}; give it at least 5, or add --min-accuracy.\n`);
  expect([enough.code, enough.stderr]).toEqual([
    3,
    expect.stringMatching(/^✗ scripted\/steady: worse than in/),
  ]);
});

test("a gate without a verdict on one side blames that side", async () => {
  const down = await gate(good, "down", "--limit", "2", "--fail-on-regression", "--json");
  writeFileSync(join(cwd, "down.json"), down.stdout);
  expect([down.code, down.stderr]).toEqual([
    1,
    expect.stringContaining("! Nothing was compared: no run of this evaluation has a verdict.\n"),
  ]);
  const after = await gate("down.json", "30", "--limit", "2", "--fail-on-regression", "--quiet");
  expect([after.code, after.stderr]).toEqual([
    1,
    "! Nothing was compared: no run of down.json has a verdict.\n",
  ]);
});
