import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  binomialCdf,
  normalCdf,
  normalQuantile,
  tCdf,
  tQuantile,
  Z95,
} from "../../src/statistics/distributions.ts";

const share = fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true });

test.each([
  [0, 0.5],
  [1, 0.841344746068543],
  [-1.96, 0.0249978951482204],
  [3, 0.99865010196837],
  [-6, 9.86587645037698e-10],
  [-40, 0],
  [40, 1],
])("normal: up to %d lies the share %d", (x, p) => {
  expect(normalCdf(x)).toBeCloseTo(p, 12);
});

test("95% of a normal distribution lies within 1.959963984540054 standard deviations", () => {
  expect(Z95).toBeCloseTo(1.959963984540054, 12);
});

describe("Student's t: the upper 2.5% begins at (NIST/SEMATECH e-Handbook, 1.3.6.7.2)", () => {
  test.each([
    [1, 12.706],
    [2, 4.303],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [60, 2.0],
    [100, 1.984],
  ])("%d degrees of freedom: %d", (df, t) => {
    expect(tQuantile(0.975, df)).toBeCloseTo(t, 3);
  });
});

test("with many degrees of freedom t nears the normal as its expansion says", () => {
  expect(tQuantile(0.975, 1e6)).toBeCloseTo(Z95 + (Z95 ** 3 + Z95) / 4e6, 8);
});

test("t with one degree of freedom is Cauchy's distribution", () => {
  fc.assert(
    fc.property(fc.double({ min: -50, max: 50, noNaN: true }), (x) => {
      expect(tCdf(x, 1)).toBeCloseTo(0.5 + Math.atan(x) / Math.PI, 11);
    }),
  );
});

test("a quantile undoes its distribution, and the two halves mirror each other", () => {
  fc.assert(
    fc.property(share, fc.integer({ min: 1, max: 10_000 }), (p, df) => {
      expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 12);
      expect(tCdf(tQuantile(p, df), df)).toBeCloseTo(p, 10);
      expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p), 6);
      expect(tCdf(-1.5, df)).toBeCloseTo(1 - tCdf(1.5, df), 12);
    }),
  );
});

/** Every term by itself, in logarithms. */
function sumOfTerms(k: number, n: number, p: number): number {
  let [sum, logTerm] = [0, n * Math.log1p(-p)];
  for (let at = 0; at <= k; at++) {
    sum += Math.exp(logTerm);
    logTerm += Math.log(((n - at) * p) / ((at + 1) * (1 - p)));
  }
  return sum;
}

test("the binomial distribution is the sum of its terms", () => {
  const tries = fc.integer({ min: 1, max: 500 }).chain((n) => fc.tuple(fc.nat(n - 1), fc.constant(n)));
  fc.assert(
    fc.property(tries, fc.double({ min: 0.01, max: 0.99, noNaN: true }), ([k, n], p) => {
      expect(binomialCdf(k, n, p)).toBeCloseTo(sumOfTerms(k, n, p), 10);
    }),
  );
});

test("half of very many fair coins is as likely to be missed as to be passed", () => {
  expect(binomialCdf(499_999, 999_999, 0.5)).toBeCloseTo(0.5, 9);
  expect(binomialCdf(-1, 10, 0.5)).toBe(0);
  expect(binomialCdf(10, 10, 0.5)).toBe(1);
});
