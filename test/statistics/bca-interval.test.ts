import fc from "fast-check";
import { expect, test } from "vitest";
import { seededBits } from "../../src/statistics/random.ts";
import { acceleration, bcaInterval, estimateMeanScore } from "../../src/statistics/scores.ts";

/** The spatial test data A of Efron and Tibshirani, An Introduction to the Bootstrap (1993), table 14.1 (page 180). */
const SPATIAL = [
  48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
];
const mean = (items: readonly number[]) => items.reduce((sum, item) => sum + item, 0) / items.length;
const variance = (items: readonly number[]) => mean(items.map((item) => (item - mean(items)) ** 2));

test("Efron and Tibshirani's variance of 171.5 has their acceleration of 0.061 (page 186)", () => {
  expect(variance(SPATIAL)).toBeCloseTo(171.5, 1);
  expect(acceleration(SPATIAL, variance)).toBeCloseTo(0.061, 3);
});

test("its 90% interval is theirs (table 14.2), 115.8 to 259.6, but for what their 2,000 draws left to chance", () => {
  const { low, high } = bcaInterval({
    items: SPATIAL,
    statistic: variance,
    bits: seededBits(14),
    resamples: 20_000,
    level: 0.9,
  });
  expect(Math.abs(low - 115.8)).toBeLessThan(3);
  expect(Math.abs(high - 259.6)).toBeLessThan(3);
});

const scores = fc.array(
  fc.record({
    micros: fc.integer({ min: -3_000_000, max: 3_000_000 }),
    runs: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);

test("no order of problems changes a digit of the mean score or its interval", () => {
  const shuffled = scores.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([all, other]) => {
      expect(estimateMeanScore(other)).toEqual(estimateMeanScore(all));
    }),
    { numRuns: 25 },
  );
});

test("the interval of scores without bounds stays within them and moves with them", () => {
  const unbounded = fc.uniqueArray(fc.integer({ min: -5_000_000, max: -3_000_000 }), {
    minLength: 10,
    maxLength: 25,
  });
  fc.assert(
    fc.property(unbounded, (all) => {
      const estimate = estimateMeanScore(all.map((micros) => ({ micros, runs: 1 })));
      const moved = estimateMeanScore(all.map((micros) => ({ micros: micros + 1_000_000, runs: 1 })));
      if (estimate === null || moved === null) throw new Error("no estimate");
      expect(estimate.low).toBeGreaterThanOrEqual(Math.min(...all) / 1e6 - 1e-9);
      expect(estimate.high).toBeLessThanOrEqual(Math.max(...all) / 1e6 + 1e-9);
      expect(estimate.low).toBeLessThanOrEqual(estimate.high);
      expect(moved.value).toBeCloseTo(estimate.value + 1, 9);
      expect(moved.low).toBeCloseTo(estimate.low + 1, 6);
    }),
    { numRuns: 25 },
  );
});

test("a higher score raises the mean, and scores turned round turn it", () => {
  const places = fc.tuple(scores, fc.nat(), fc.integer({ min: 1, max: 1_000_000 }));
  fc.assert(
    fc.property(places, ([all, seed, more]) => {
      const at = seed % all.length;
      const raised = all.map((each, place) =>
        place === at ? { ...each, micros: each.micros + more } : each,
      );
      const turned = all.map((each) => ({ ...each, micros: -each.micros }));
      const [mean, higher, opposite] = [all, raised, turned].map(
        (some) => estimateMeanScore(some)?.value ?? Number.NaN,
      );
      // Equal scores without bounds have no estimate.
      fc.pre([mean, higher, opposite].every(Number.isFinite));
      expect(higher).toBeGreaterThan(mean ?? 0);
      expect(opposite).toBeCloseTo(-(mean ?? 0), 12);
    }),
    { numRuns: 25 },
  );
});

test("beyond 2,000 problems Student's interval takes over without a jump", () => {
  const made = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ micros: (at % 10) * 100_000, runs: 1 }));
  const [drawn, computed] = [estimateMeanScore(made(2_000)), estimateMeanScore(made(2_010))];
  expect(computed?.low).toBeCloseTo(drawn?.low ?? 0, 2);
  expect(computed?.high).toBeCloseTo(drawn?.high ?? 0, 2);
});
