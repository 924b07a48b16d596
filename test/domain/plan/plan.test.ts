import fc from "fast-check";
import { expect, test } from "vitest";
import { ProblemId } from "../../../src/domain/ids.ts";
import { ModelPair, modelKey } from "../../../src/domain/model.ts";
import { countRuns, type Plan, planRuns, runIdOf } from "../../../src/domain/plan.ts";
import { sha256 } from "../../../src/system/digest.ts";
import { aProblem } from "../../fixtures/records/a-log-entry.ts";

const plan: Plan = {
  name: "capitals",
  models: [
    { providerKey: "a", model: "x" },
    { providerKey: "b", model: "x" },
  ],
  problems: [aProblem({ id: ProblemId.parse("p") }), aProblem({ id: ProblemId.parse("q") })],
  trials: 2,
};

test("runs are planned problem by problem, then by model, then by trial", () => {
  const runs = [...planRuns(plan, sha256)].map(
    (run) => `${run.index} ${run.problem.id} ${modelKey(run.model)} ${run.trial}`,
  );
  expect(runs).toEqual([
    "0 p a/x 1",
    "1 p a/x 2",
    "2 p b/x 1",
    "3 p b/x 2",
    "4 q a/x 1",
    "5 q a/x 2",
    "6 q b/x 1",
    "7 q b/x 2",
  ]);
});

test.each([
  [plan, 8],
  [{ ...plan, problems: [] }, 0],
  [{ ...plan, models: [] }, 0],
  [{ ...plan, trials: 5 }, 20],
])("the count is the number of planned runs (%#)", (some, count) => {
  expect(countRuns(some)).toBe(count);
  expect([...planRuns(some, sha256)]).toHaveLength(count);
});

test("a run keeps its id when problems and models move or join", () => {
  const more = {
    ...plan,
    models: plan.models.toReversed(),
    problems: [...plan.problems.toReversed(), aProblem()],
  };
  const ids = new Set([...planRuns(more, sha256)].map(({ runId }) => runId));
  for (const { runId } of planRuns(plan, sha256)) expect(ids).toContain(runId);
});

// Parts made of the very characters that could be taken for a border between parts.
const nasty = fc.string({
  unit: fc.constantFrom("a", "1", "/", ",", '"', "\\", "[", "]", ":", "-", "|", "\u0000", "\ud800", "é"),
  minLength: 1,
  maxLength: 6,
});
const parts = fc.record({
  name: nasty,
  providerKey: nasty.filter((text) => ModelPair.safeParse([text, "m"]).success),
  model: nasty.filter((text) => ModelPair.safeParse(["p", text]).success),
  id: nasty.filter((text) => ProblemId.safeParse(text).success),
  trial: fc.integer({ min: 1, max: 1_000 }),
});

test("ids of different runs never collide", () => {
  const idOf = (part: typeof parts extends fc.Arbitrary<infer Parts> ? Parts : never) =>
    runIdOf(part.name, part, { id: ProblemId.parse(part.id) }, part.trial, sha256);
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      expect(idOf(a) === idOf(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
    { numRuns: 2_000 },
  );
});

test("a hundred thousand runs have a hundred thousand ids", () => {
  const problems = Array.from({ length: 1_000 }, (_, index) =>
    aProblem({ id: ProblemId.parse(`p${index}`) }),
  );
  const ids = [...planRuns({ ...plan, problems, trials: 50 }, sha256)].map(({ runId }) => runId);
  expect(ids).toHaveLength(100_000);
  expect(new Set(ids).size).toBe(100_000);
});
