import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cluster, clusteredShare, sumClusters, wilsonInterval } from "../../src/statistics/shares.ts";

describe("Wilson's interval, as printed by Newcombe (Statistics in Medicine 1998, 17:857, table I, method 3)", () => {
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("%d of %d: %d to %d", (right, n, low, high) => {
    const interval = wilsonInterval(right / n, n);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
});

// Statsmodels, statsmodels/stats/tests/results/results_proportion.py: "wilson" of binom.confint in R's package binom.
describe("Wilson's interval, as R's binom prints it", () => {
  test.each([
    [18, 20, 0.6989663547715128, 0.972133518786232],
    [4, 20, 0.0806576625797981, 0.4160174322518935],
    [4, 200, 0.00780442641634947, 0.05028708690582643],
    [190, 200, 0.910421851861224, 0.972617354399236],
  ])("%d of %d: %d to %d", (right, n, low, high) => {
    const interval = wilsonInterval(right / n, n);
    expect(interval.low).toBeCloseTo(low, 12);
    expect(interval.high).toBeCloseTo(high, 12);
  });
});

const partOf = fc.integer({ min: 1, max: 2_000 }).chain((n) => fc.tuple(fc.nat(n), fc.constant(n)));

test("Wilson's interval holds the share and stays within 0 and 1", () => {
  fc.assert(
    fc.property(partOf, ([right, n]) => {
      const { low, high } = wilsonInterval(right / n, n);
      expect(0 <= low && low <= right / n && right / n <= high && high <= 1).toBe(true);
      expect(high - low).toBeGreaterThan(0);
    }),
  );
});

test("Wilson's interval of what is wrong mirrors that of what is right", () => {
  fc.assert(
    fc.property(partOf, ([right, n]) => {
      const [a, b] = [wilsonInterval(right / n, n), wilsonInterval((n - right) / n, n)];
      expect(b.low).toBeCloseTo(1 - a.high, 12);
      expect(b.high).toBeCloseTo(1 - a.low, 12);
    }),
  );
});

test("Wilson's interval moves up with the share and narrows with more problems", () => {
  fc.assert(
    fc.property(partOf, ([right, n]) => {
      const here = wilsonInterval(right / n, n);
      if (right < n) {
        const more = wilsonInterval((right + 1) / n, n);
        expect(more.low > here.low && more.high >= here.high).toBe(true);
      }
      const tenfold = wilsonInterval(right / n, n * 10);
      expect(tenfold.high - tenfold.low).toBeLessThan(here.high - here.low);
    }),
  );
});

const cluster = fc
  .integer({ min: 0, max: 6 })
  .chain((size) => fc.record({ hits: fc.nat(size), size: fc.constant(size) }));
const clusters = fc.array(cluster, { maxLength: 60 });
const shareOf = (problems: Iterable<Cluster>) => clusteredShare(sumClusters(problems));

test("with one run per problem the interval is Wilson's", () => {
  const problems = [1, 0, 1, 1, 0, 1, 1].map((hits) => ({ hits, size: 1 }));
  expect(shareOf(problems)).toEqual({ value: 5 / 7, ...wilsonInterval(5 / 7, 7) });
});

test("no run that counts gives no share", () => {
  expect(shareOf([])).toBeNull();
  expect(shareOf([{ hits: 0, size: 0 }])).toBeNull();
});

test("all right or all wrong has Wilson's interval over the problems, however many trials there are", () => {
  const always = (hits: number) => shareOf(Array.from({ length: 12 }, () => ({ hits, size: 5 })));
  expect(always(5)).toEqual({ value: 1, ...wilsonInterval(1, 12) });
  expect(always(0)).toEqual({ value: 0, ...wilsonInterval(0, 12) });
  expect(shareOf([{ hits: 1, size: 2 }])).toEqual({ value: 0.5, ...wilsonInterval(0.5, 1) });
});

test("trials that always agree are worth hardly more than one, those that never agree nearly all", () => {
  const width = (problems: Cluster[]) => {
    const estimate = shareOf(problems);
    return estimate === null ? 0 : estimate.high - estimate.low;
  };
  const alike = Array.from({ length: 100 }, (_, at) => ({ hits: (at % 2) * 4, size: 4 }));
  const mixed = Array.from({ length: 100 }, () => ({ hits: 2, size: 4 }));
  const once = alike.map(({ hits }) => ({ hits: hits / 4, size: 1 }));
  expect(width(alike) / width(once)).toBeCloseTo(1, 1);
  expect(width(mixed) / width(once)).toBeLessThan(0.55);
});

test("an interval holds its share, stays within 0 and 1, and no order of problems changes a digit", () => {
  const shuffled = clusters.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([all, other]) => {
      const estimate = shareOf(all);
      expect(shareOf(other)).toEqual(estimate);
      if (estimate === null) return;
      const { low, value, high } = estimate;
      expect(0 <= low && low <= value && value <= high && high <= 1).toBe(true);
    }),
  );
});

test("what is wrong mirrors what is right, also with several trials", () => {
  fc.assert(
    fc.property(clusters, (all) => {
      const right = shareOf(all);
      const wrong = shareOf(all.map(({ hits, size }) => ({ hits: size - hits, size })));
      fc.pre(right !== null && wrong !== null);
      expect(wrong.low).toBeCloseTo(1 - right.high, 9);
      expect(wrong.high).toBeCloseTo(1 - right.low, 9);
    }),
  );
});

test("with several trials a run less that was right raises neither end of an all but certain share", () => {
  const trials = fc.integer({ min: 2, max: 10 });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), trials, fc.nat(), (problems, size, wrong) => {
      const allRight = Array.from({ length: problems }, () => ({ hits: size, size }));
      const missed = allRight.with(0, { hits: size - 1 - (wrong % size), size });
      const [all, less] = [shareOf(allRight), shareOf(missed)];
      fc.pre(all !== null && less !== null);
      expect(less.low).toBeLessThanOrEqual(all.low);
      expect(less.high).toBeLessThanOrEqual(all.high);
    }),
  );
});

test("a problem more that was right lowers neither end, and one that was wrong raises none", () => {
  const once = fc.array(fc.nat(1), { maxLength: 60 }).map((all) => all.map((hits) => ({ hits, size: 1 })));
  fc.assert(
    fc.property(once, (all) => {
      const here = shareOf(all);
      const [up, down] = [shareOf([...all, { hits: 1, size: 1 }]), shareOf([...all, { hits: 0, size: 1 }])];
      fc.pre(here !== null && up !== null && down !== null);
      expect(up.value >= here.value && up.low >= here.low).toBe(true);
      expect(down.value <= here.value && down.high <= here.high).toBe(true);
    }),
  );
});
