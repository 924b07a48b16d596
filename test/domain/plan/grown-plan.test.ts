import fc from "fast-check";
import { expect, test } from "vitest";
import { ProblemId } from "../../../src/domain/ids.ts";
import type { Model } from "../../../src/domain/model.ts";
import { countRuns, grownPlan, type Plan, planRuns, renumberRun } from "../../../src/domain/plan.ts";
import { sha256 } from "../../../src/system/digest.ts";
import { aProblem } from "../../fixtures/records/a-log-entry.ts";

const aModel = (number: number): Model => ({ providerKey: "scripted", model: `m${number}` });
const problemOf = (number: number) => aProblem({ id: ProblemId.parse(`p${number}`) });
const some = fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 6 });

/** Any models and problems in any order. */
const plans = fc.record({
  name: fc.constant("growing"),
  models: some.map((numbers) => numbers.map(aModel)),
  problems: some.map((numbers) => numbers.map(problemOf)),
  trials: fc.integer({ min: 1, max: 4 }),
});

const sizeOf = (plan: Plan) => ({ ...plan, problemCount: plan.problems.length });
const runIds = (plan: Plan) => [...planRuns(plan, sha256)].map(({ runId }) => runId);
const grow = (before: Plan, wanted: Plan) => grownPlan(before, before.problems, wanted);

test("what is missing of a grown plan are the runs that the one before does not have, and no others", () => {
  fc.assert(
    fc.property(plans, plans, (before, wanted) => {
      const grown = grow(before, wanted);
      const [known, all] = [runIds(before), runIds(grown)];
      const missing = all.filter((_, number) => renumberRun(number, sizeOf(grown), sizeOf(before)) === null);
      expect(new Set(missing)).toEqual(new Set(all).difference(new Set(known)));
      expect(missing).toHaveLength(countRuns(grown) - countRuns(before));
    }),
  );
});

test("a run keeps its id under its new number, the order stays, and the way back leads where it came from", () => {
  fc.assert(
    fc.property(plans, plans, (before, wanted) => {
      const grown = grow(before, wanted);
      const all = runIds(grown);
      let last = -1;
      for (const [number, runId] of runIds(before).entries()) {
        const after = renumberRun(number, sizeOf(before), sizeOf(grown)) ?? -1;
        expect(all[after]).toBe(runId);
        expect(after).toBeGreaterThan(last);
        expect(renumberRun(after, sizeOf(grown), sizeOf(before))).toBe(number);
        last = after;
      }
    }),
  );
});

test("a plan that wants nothing more stays as it is, and growing twice is growing once", () => {
  fc.assert(
    fc.property(plans, plans, (before, wanted) => {
      const grown = grow(before, wanted);
      expect(grow(grown, wanted)).toEqual(grown);
      expect(grow(grown, before)).toEqual(grown);
      expect(countRuns(grown)).toBeGreaterThanOrEqual(countRuns(before));
    }),
  );
});

test.each([-1, 24])("%i is the number of no run", (number) => {
  const size = { models: [aModel(0), aModel(1)], problemCount: 3, trials: 4 };
  expect(renumberRun(number, size, { ...size, trials: 5 })).toBeNull();
});
