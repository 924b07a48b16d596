import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProblemScore } from "../../src/statistics/outcomes.ts";
import { seededBits } from "../../src/statistics/random.ts";
import { estimateMeanScore } from "../../src/statistics/scores.ts";
import { clusteredShare, sumClusters, wilsonInterval } from "../../src/statistics/shares.ts";
import { eachSum, holds, independent } from "../fixtures/statistics/exact-coverage.ts";

const once = (scores: readonly number[]): ProblemScore[] =>
  scores.map((score) => ({ micros: Math.round(score * 1e6), runs: 1 }));

describe("the interval of a mean score", () => {
  test("is that of a share where every score is 0 or 1", () => {
    const problem = fc
      .integer({ min: 1, max: 5 })
      .chain((runs) => fc.record({ runs: fc.constant(runs), hits: fc.nat(runs) }));
    fc.assert(
      fc.property(fc.array(problem, { minLength: 1, maxLength: 60 }), (problems) => {
        const share = clusteredShare(sumClusters(problems.map(({ hits, runs }) => ({ hits, size: runs }))));
        const estimate = estimateMeanScore(problems.map(({ hits, runs }) => ({ micros: hits * 1e6, runs })));
        expect(estimate).toEqual({ ...share, value: expect.closeTo(share?.value ?? -1, 12) });
      }),
    );
  });

  test.each([4, 10, 20])("holds the truth of scores of 0 and 1 on %i problems", (count) => {
    const covered = Array.from({ length: 19 }, (_, at) => (at + 1) / 20).map((share) => {
      let chance = 0;
      eachSum(count, independent(1, share), (hits, _squares, likely) => {
        const scores = once(Array.from({ length: count }, (_, at) => (at < hits ? 1 : 0)));
        const estimate = estimateMeanScore(scores);
        if (estimate !== null && holds(estimate, share)) chance += likely;
      });
      return chance;
    });
    expect(Math.min(...covered)).toBeGreaterThan(0.83);
    expect(covered.reduce((sum, each) => sum + each, 0) / covered.length).toBeGreaterThan(0.935);
  });

  test("has a width where all scores between 0 and 1 are equal: as many problems could still differ", () => {
    const estimate = estimateMeanScore(once(Array<number>(12).fill(0.7)));
    expect(estimate).toEqual({ value: 0.7, ...wilsonInterval(0.7, 12) });
  });

  test("cannot be said of equal scores without bounds, or of one", () => {
    expect(estimateMeanScore(once(Array<number>(12).fill(7)))).toBeNull();
    expect(estimateMeanScore(once([-3]))).toBeNull();
    expect(estimateMeanScore([])).toBeNull();
  });

  test("of few problems between 0 and 1 is no narrower than the scores allow", () => {
    const bits = seededBits(9);
    const unit = () => bits() / 2 ** 32;
    for (const [truth, draw] of [
      [0.5, unit],
      [1 / 3, () => unit() ** 2],
      [0.9, () => (unit() < 0.1 ? 0 : 1)],
    ] as const) {
      let covered = 0;
      for (let at = 0; at < 1_000; at++) {
        const estimate = estimateMeanScore(once(Array.from({ length: 6 }, draw)));
        if (estimate !== null && holds(estimate, truth)) covered++;
      }
      expect(covered).toBeGreaterThan(880);
    }
  });

  test("does not depend on the order of problems, and holds the mean", () => {
    const problems = fc.array(
      fc.record({ micros: fc.integer({ min: -2e6, max: 2e6 }), runs: fc.integer({ min: 1, max: 3 }) }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(problems, (all) => {
        const estimate = estimateMeanScore(all);
        expect(estimateMeanScore([...all].reverse())).toEqual(estimate);
        if (estimate === null) return;
        expect(estimate.low).toBeLessThanOrEqual(estimate.value + 1e-12);
        expect(estimate.high).toBeGreaterThanOrEqual(estimate.value - 1e-12);
      }),
      { numRuns: 50 },
    );
  });
});
