import { describe, expect, test } from "vitest";
import { planRuns } from "../../src/domain/plan.ts";
import { readDefinition } from "../../src/engine/definition/read-definition.ts";
import { AgentEvaluator, defineEvaluation } from "../../src/index.ts";
import { sha256 } from "../../src/system/digest.ts";
import evaluation from "../fixtures/evals/variants.eval.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const ROWS = ["scripted/one@terse", "scripted/one@steps", "scripted/two@terse", "scripted/two@steps"];

describe("an evaluation with variants", () => {
  test("runs every model with each of them, and gives the agent its value in its own process", async () => {
    const { logs, stats } = await runFile("variants");
    expect(Object.keys(stats)).toEqual(ROWS);
    const said = logs.map(({ result }) => (result as { said: string }).said);
    expect(said).toEqual([
      ...["one terse a Be brief.", "one steps a Think step by step."],
      ...["two terse a Be brief.", "two steps a Think step by step."],
      ...["one terse b Be brief.", "one steps b Think step by step."],
      ...["two terse b Be brief.", "two steps b Think step by step."],
    ]);
    expect(logs.map(({ variant }) => variant).slice(0, 2)).toEqual(["terse", "steps"]);
    expect(logs[1]).toMatchObject({ providerKey: "scripted", model: "one", reason: "checked steps" });
    expect(Object.values(stats).map(({ correct }) => correct)).toEqual([1, 1, 1, 1]);
  });

  test("compares the variants of one model first", async () => {
    const { report } = await new AgentEvaluator({
      ...evaluation,
      isolation: "none",
      store: false,
    }).evaluate();
    const pairs = report.comparisons.map(({ first, second }) => `${first} ${second}`);
    expect(pairs.slice(0, 2)).toEqual([
      "scripted/one@terse scripted/one@steps",
      "scripted/two@terse scripted/two@steps",
    ]);
    expect(pairs).toHaveLength(6);
  });

  test("is priced by its models, whatever the variant", async () => {
    const priced = inProcess({
      variants: { a: null, b: null },
      prices: { "scripted/one": { input: 1_000_000, output: 0 } },
      scripts: { one: [{ say: "Lima", usage: { inputTokens: 2, outputTokens: 1 } }] },
    });
    const { stats } = await new AgentEvaluator(priced).evaluate();
    expect(Object.values(stats).map(({ costUsd }) => costUsd)).toEqual([2, 2]);
  });

  test("has one run of each by hand, the first variant unless another is named", async () => {
    const evaluator = new AgentEvaluator({ ...evaluation, isolation: "none", store: false });
    expect((await evaluator.runOne({ problem: "a" })).result?.said).toBe("one terse a Be brief.");
    const steps = await evaluator.runOne({ problem: "a", variant: "steps", model: ["scripted", "two"] });
    expect(steps.result?.said).toBe("two steps a Think step by step.");
  });

  test.each<[what: string, options: object, complaint: RegExp]>([
    ["no variant", { variants: {} }, /variants: expected at least one variant/],
    ["a name that keys could not hold", { variants: { "a@b": 1 } }, /variants.*one word without #, @ or \//],
  ])("is refused with %s", async (_what, options, complaint) => {
    await expect(readDefinition(inProcess(options), sha256)).rejects.toThrow(complaint);
  });
});

test("an evaluation without variants has the same runs as before there were any", async () => {
  const { name, models, problems, trials } = await readDefinition(inProcess({ name: "stays" }), sha256);
  const [run] = planRuns({ name, models, problems, trials }, sha256);
  expect(run?.runId).toBe("86242387c03a115d272d");
});

test("the value of a variant has the type of what is written", () => {
  defineEvaluation({
    models: [["scripted", "one"]],
    problems: ["a"],
    variants: { low: { effort: "low" }, high: { effort: "high", steps: 3 } },
    buildAgent: (_provider, _model, _tools, _problem, variant) => {
      const effort: string = variant.effort;
      return () => effort;
    },
    resultChecker: (result) => result === "high",
  });
});
