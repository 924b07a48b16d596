import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detectableDifference, leastDropping, problemsNeeded } from "../../src/statistics/compare.ts";
import {
  countDifferences,
  dropMcnemar,
  mcnemarExact,
  signFlipTest,
  sumDifferences,
} from "../../src/statistics/paired-tests.ts";
import { seededBits } from "../../src/statistics/random.ts";
import { chanceOf } from "../fixtures/statistics/chances.ts";

const told = (won: number, lost: number): boolean => won > lost && mcnemarExact(won, lost) < 0.05;

/** Shares of problems won and lost, from clear to close. */
const RATES = [
  [0.8, 0],
  [0.4, 0],
  [0.2, 0],
  [0.1, 0],
  [0.45, 0.05],
  [0.35, 0.05],
  [0.25, 0.05],
  [0.225, 0.075],
  [0.15, 0.05],
  [0.2, 0.1],
  [0.1, 0.02],
] as const;

describe("problems needed", () => {
  const needed = (won: number, lost: number, level = 0.05) =>
    problemsNeeded({ mean: won - lost, meanSquare: won + lost, differing: won + lost }, level);

  // Connor, Biometrics 1987, 43:207, as powerandsamplesize.com (McNemar's Z-test, 2-sided equality) prints it: 23 pairs.
  test("Connor's formula needs 23 problems for 45% won and 5% lost, and an exact test 1 / 40% more", () => {
    expect(needed(0.45, 0.05)).toBe(25);
  });

  test("a smaller difference, more noise or more comparisons need more; no difference no number", () => {
    expect(needed(0.3, 0.2)).toBeGreaterThan(needed(0.35, 0.15) ?? 0);
    expect(needed(0.3, 0.2)).toBeGreaterThan(needed(0.1, 0) ?? 0);
    expect(needed(0.3, 0.2, 0.01)).toBeGreaterThan(needed(0.3, 0.2) ?? 0);
    expect(needed(0.2, 0.2)).toBeNull();
    expect(problemsNeeded(sumDifferences(new Map()))).toBeNull();
  });

  test("a larger part of as many that differ needs fewer, and a stricter level more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.nat(), (differing, seed) => {
        const won = Math.floor(differing / 2) + 1 + (seed % Math.ceil(differing / 2));
        const part = (count: number) => needed(count / 400, (differing - count) / 400) ?? Number.NaN;
        if (won < differing) expect(part(won + 1)).toBeLessThanOrEqual(part(won));
        const strict = needed(won / 400, (differing - won) / 400, 0.01);
        expect(strict).toBeGreaterThan(part(won));
      }),
    );
  });

  test("it does not mind which model is ahead", () => {
    const shares = fc.double({ min: 0.001, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(shares, shares, (won, lost) => {
        expect(needed(won, lost)).toBe(needed(lost, won));
      }),
    );
  });

  test.each(RATES)("%d won and %d lost: so many show it in four of five evaluations", (won, lost) => {
    const chance = chanceOf(needed(won, lost) ?? 0, { won, lost }, told);
    expect(chance).toBeGreaterThan(0.785);
    expect(chance).toBeLessThan(0.93);
  });
});

describe("what so many problems can show", () => {
  test.each([
    [30, 0, 0.275],
    [30, 0.3, 0.3],
    [100, 0.3, 0.16],
    [1_000, 0.3, 0.05],
  ])("%i problems, %d of which differ: differences of %d and more", (problems, differing, least) => {
    const seen = detectableDifference({ problems, mean: 0, meanSquare: differing, differing });
    expect(seen).toBeCloseTo(least, 2);
    const share = Math.max((differing * problems + 2) / (problems + 2), seen ?? 1);
    if (problems > 500) return;
    const rates = { won: (share + (seen ?? 1)) / 2, lost: (share - (seen ?? 1)) / 2 };
    expect(chanceOf(problems, rates, told)).toBeGreaterThan(0.785);
  });

  // Problems of many difficulties, three trials of each: what is detectable is found in four of five evaluations.
  test("is found by flipping signs, too, where problems have several trials", () => {
    const [problems, trials, repeats] = [30, 3, 150];
    const bits = seededBits(11);
    const chance = () => bits() / 2 ** 32;
    const rightOf = (share: number) => {
      let right = 0;
      for (let trial = 0; trial < trials; trial++) if (chance() < share) right++;
      return right;
    };
    const evaluate = (behind: number) =>
      countDifferences(
        Array.from({ length: problems }, () => {
          const share = behind + (1 - behind) * chance();
          const [a, b] = [rightOf(share), rightOf(share - behind)];
          return [
            { hits: a, size: trials },
            { hits: b, size: trials },
          ] as const;
        }),
      );
    let shown = 0;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const least = detectableDifference(sumDifferences(evaluate(0))) ?? 1;
      if (signFlipTest(evaluate(least), seededBits(repeat)) < 0.05) shown++;
    }
    expect(shown / repeats).toBeGreaterThan(0.78);
    expect(shown / repeats).toBeLessThan(0.95);
  });

  test("is nothing with fewer problems than an exact test takes", () => {
    const ofNone = (problems: number, level?: number) =>
      detectableDifference({ problems, mean: 0, meanSquare: 0, differing: 0 }, level);
    expect([ofNone(0), ofNone(5), ofNone(6, 0.05 / 3)]).toEqual([null, null, null]);
    expect(ofNone(6)).toBeGreaterThan(0.95);
  });

  test("is less with more problems, and more beside other pairs", () => {
    const seen = fc.record({
      problems: fc.integer({ min: 8, max: 3_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(seen, ({ problems, share }) => {
        const at = (count: number, level = 0.05) =>
          detectableDifference({ problems: count, mean: 0, meanSquare: share, differing: share }, level) ?? 1;
        expect(at(problems * 2)).toBeLessThanOrEqual(at(problems));
        expect(at(problems, 0.01)).toBeGreaterThanOrEqual(at(problems));
      }),
    );
  });
});

test.each([0.05, 0.025, 0.01, 0.001])("at %d a drop takes just as many problems as it says", (level) => {
  const least = leastDropping(level);
  expect(dropMcnemar(0, least)).toBeLessThan(level);
  expect(dropMcnemar(0, least - 1)).toBeGreaterThanOrEqual(level);
});
