import fc from "fast-check";
import { expect, test } from "vitest";
import { countedQuantiles } from "../../../src/domain/stats/quantiles.ts";

const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 200 });

const countsOf = (all: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const value of all) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

test("a quantile of counts is that of the sorted list", () => {
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, part) => {
      const sorted = all.toSorted((a, b) => a - b);
      const expected = sorted[Math.max(1, Math.ceil(part * all.length)) - 1];
      expect(countedQuantiles(countsOf(all), [part])).toEqual([expected]);
    }),
  );
});

test("larger shares have larger quantiles, and none of nothing", () => {
  fc.assert(
    fc.property(values, (all) => {
      const [p50, p95] = countedQuantiles(countsOf(all), [0.5, 0.95]);
      expect(p50).toBeLessThanOrEqual(p95 ?? Number.NaN);
    }),
  );
  expect(countedQuantiles(new Map(), [0.5])).toEqual([null]);
});
