import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/domain/json.ts";
import { problemReader } from "../../src/domain/problem.ts";
import { AgentEvaluator, type EvaluationOptions } from "../../src/index.ts";
import { sha256 } from "../../src/system/digest.ts";
import { storableJson } from "../fixtures/records/storable-json.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";

const evaluate = (changes: Partial<EvaluationOptions>) => new AgentEvaluator(inProcess(changes)).evaluate();
const echo: Partial<EvaluationOptions> = {
  buildAgent: (_provider, model, _tools, problem) => (context) => [problem, model, context.trial],
  resultChecker: () => true,
};

test("eight perfect answers at concurrency 8 are 8/8, a thousand times", async () => {
  const problems = Array.from({ length: 8 }, (_, index) => [`Double ${index}`, index * 2]);
  const evaluator = new AgentEvaluator(
    inProcess({
      problems,
      buildAgent: (_p, _m, _t, problem: string) => () => Number(problem.slice(7)) * 2,
      concurrency: 8,
    }),
  );
  for (let time = 0; time < 1_000; time++) {
    const { stats, logs } = await evaluator.evaluate();
    const [one] = Object.values(stats);
    if (one?.correct === 8 && one.finished === 8 && logs.length === 8) continue;
    expect.fail(`at time ${time}: ${JSON.stringify(one)}`);
  }
});

// Few different contents, so that many problems are equal.
const anItem = fc.oneof(
  fc.constantFrom("a", "A", "a ", "", 1, "1", null, [], ["a"], ["a", "b"], { a: 1 }, { a: "1" }),
  fc.record({ problem: fc.constantFrom("a", 1, ["a", "b"]), expected: fc.constantFrom("a", 1, null) }),
  storableJson({ maxDepth: 2 }),
);
const aModel = fc.tuple(fc.constantFrom("p", "q", "p-q"), fc.constantFrom("m", "q-m", "m/n", "q/m"));
const aPlan = fc.record({
  models: fc.uniqueArray(aModel, { minLength: 1, maxLength: 4, selector: (pair) => pair.join("/") }),
  problems: fc.array(anItem, { maxLength: 8 }),
  trials: fc.integer({ min: 1, max: 3 }),
});

test("ids never collide: every run of any plan has its own entry", async () => {
  const providerFactory = () => ({ generate: () => Promise.reject(new Error("not called")) });
  await fc.assert(
    fc.asyncProperty(aPlan, async (plan) => {
      const { logs, stats } = await evaluate({ ...echo, ...plan, providerFactory });
      const contents = new Set(logs.map(({ problem, expected }) => canonicalJson([problem, expected])));
      const given = plan.problems.map(problemReader(sha256)).filter(({ kind }) => kind === "problem");
      expect(contents.size).toBe(given.length);
      const planned = plan.models.length * given.length * plan.trials;
      expect(logs).toHaveLength(planned);
      expect(new Set(logs.map(({ runId }) => runId)).size).toBe(planned);
      expect(Object.keys(stats)).toHaveLength(plan.models.length);
      for (const { result, problem, model, trial } of logs) expect(result).toEqual([problem, model, trial]);
    }),
    { numRuns: 60 },
  );
});

test("a run keeps its id when problems and models join or move", async () => {
  const idsOf = async (changes: Partial<EvaluationOptions>) =>
    new Set((await evaluate({ ...echo, name: "same", ...changes })).logs.map(({ runId }) => runId));
  const before = await idsOf({ problems: ["a", "b"] });
  const after = await idsOf({
    models: [
      ["scripted", "new"],
      ["scripted", "one"],
    ],
    problems: ["new", "b", "a"],
  });
  expect(after.size).toBe(6);
  expect(before.isSubsetOf(after)).toBe(true);
});

test("evaluations of two names share no run id", async () => {
  const ids = async (name: string) => (await evaluate({ ...echo, name })).logs[0]?.runId;
  expect(await ids("one")).not.toBe(await ids("two"));
});

test("the same evaluation executed twice has two ids", async () => {
  const ids = [await evaluate(echo), await evaluate(echo)].map(({ evaluation }) => evaluation.id);
  expect(new Set(ids).size).toBe(2);
});
