import fc from "fast-check";
import { expect, test } from "vitest";
import { ProblemId } from "../../../src/domain/ids.ts";
import type { Model } from "../../../src/domain/model.ts";
import {
  countPlanned,
  countShards,
  type PlanSize,
  placeOfRun,
  planRuns,
  spanOfShard,
} from "../../../src/domain/plan.ts";
import { sha256 } from "../../../src/system/digest.ts";
import { aProblem } from "../../fixtures/records/a-log-entry.ts";

const models = (count: number): Model[] =>
  Array.from({ length: count }, (_, number) => ({ providerKey: "scripted", model: `m${number}` }));

test("a number stands for the run that the plan has at that place", () => {
  const problems = Array.from({ length: 7 }, (_, number) => aProblem({ id: ProblemId.parse(`p${number}`) }));
  const size = { models: models(3), problemCount: 7, trials: 4 };
  const runs = [...planRuns({ name: "capitals", models: size.models, problems, trials: 4 }, sha256)];
  expect(runs).toHaveLength(countPlanned(size));
  for (const { index, model, problem, trial } of runs) {
    const place = placeOfRun(size, index);
    expect(place).toEqual({ problem: problems.indexOf(problem), model, trial });
  }
});

test.each([-1, 84, 0.5, Number.NaN])("%s is the number of no run", (number) => {
  expect(placeOfRun({ models: models(3), problemCount: 7, trials: 4 }, number)).toBeNull();
});

test("a plan without problems or models has no runs and no shards", () => {
  for (const size of [
    { models: models(2), problemCount: 0, trials: 3 },
    { models: [], problemCount: 5, trials: 3 },
  ]) {
    expect(countShards(size)).toBe(0);
    expect(placeOfRun(size, 0)).toBeNull();
  }
});

test("shards cover every run once and never split the trials of a pair", () => {
  const sizes = fc.record({
    models: fc.integer({ min: 1, max: 12 }).map(models),
    problemCount: fc.integer({ min: 1, max: 200 }),
    trials: fc.integer({ min: 1, max: 700 }),
  });
  fc.assert(
    fc.property(sizes, (size: PlanSize) => {
      let next = 0;
      for (let shard = 0; shard < countShards(size); shard++) {
        const { from, to } = spanOfShard(size, shard);
        expect([from, from % size.trials, to > from]).toEqual([next, 0, true]);
        if (size.trials <= 500) expect(to - from).toBeLessThanOrEqual(500);
        next = to;
      }
      expect(next).toBe(countPlanned(size));
    }),
    { numRuns: 50 },
  );
});
