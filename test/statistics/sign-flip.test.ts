import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemId } from "../../src/domain/ids.ts";
import { driftSentence } from "../../src/domain/stats/drift.ts";
import { compareModels } from "../../src/statistics/compare.ts";
import { DriftSample, findDrift } from "../../src/statistics/drift.ts";
import { type Fraction, fractionOf } from "../../src/statistics/fraction.ts";
import type { ProblemCounts } from "../../src/statistics/outcomes.ts";
import { signFlipTest } from "../../src/statistics/paired-tests.ts";
import { seededBits } from "../../src/statistics/random.ts";
import { aLogEntry } from "../fixtures/records/a-log-entry.ts";

/** The share of all ways to give signs that reach as far, each tried by itself in whole numbers. */
function shareThatReaches(differences: readonly Fraction[]): number {
  const common = differences.reduce((product, { under }) => product * under, 1n);
  const whole = differences.map(({ over, under }) => over * (common / under));
  const reach = (signs: number) => {
    const sum = whole.reduce((all, each, at) => all + ((signs >> at) & 1 ? -each : each), 0n);
    return sum < 0n ? -sum : sum;
  };
  const ways = Array.from({ length: 2 ** whole.length }, (_, signs) => reach(signs));
  return ways.filter((way) => way >= reach(0)).length / ways.length;
}

const toNumber = ({ over, under }: Fraction): number => Number(over) / Number(under);
const once = <Item>(items: readonly Item[]) => items.map((item) => [item, 1] as const);
const fractions = (over: fc.Arbitrary<bigint>, ...under: bigint[]): fc.Arbitrary<Fraction> =>
  fc.record({ over, under: fc.constantFrom(...under) });

/** Most of a kind are of a few sizes, so that sums tie and cancel as they do in real runs. */
const KINDS: Readonly<Record<string, fc.Arbitrary<Fraction>>> = {
  "thirds and sevenths": fractions(fc.bigInt(-21n, 21n), 1n, 3n, 7n, 21n),
  "dollars in nano-dollars, of three and seven trials": fractions(
    fc.bigInt(-9n, 9n).map((each) => each * 123_456_789n),
    ...[1n, 3n, 7n],
  ),
  "any nano-dollars": fractions(fc.bigInt(-(10n ** 15n), 10n ** 15n), 1n, 3n, 7n),
  "dollars of nine decimals": fractions(
    fc.bigInt(-9n, 9n).map((each) => each * 111_111_111n),
    10n ** 9n,
  ),
  tenths: fractions(fc.bigInt(-30n, 30n), 10n),
  "one nano-dollar beside millions of dollars": fractions(
    fc.constantFrom(-1n, 0n, 1n, 3n * 10n ** 15n, 1n - 3n * 10n ** 15n),
    ...[1n, 3n],
  ),
  "the largest and the smallest": fractions(fc.bigInt(-3n, 3n), 1n, 10n ** 30n),
};

describe("the sign-flip test of few problems", () => {
  const few = (kind: fc.Arbitrary<Fraction>) => fc.array(kind, { maxLength: 9 });

  test.each(Object.entries(KINDS))("counts every way to flip signs exactly: %s", (_kind, kind) => {
    fc.assert(
      fc.property(few(kind), (drawn) => {
        const p = signFlipTest(once(drawn), seededBits(1));
        expect(p).toBe(shareThatReaches(drawn));
        expect(p).toBeGreaterThanOrEqual(Math.min(1, 2 / 2 ** drawn.length));
      }),
    );
  });

  const WRITTEN = ["thirds and sevenths", "tenths", "dollars of nine decimals"];
  test.each(WRITTEN)("takes plain numbers for what they stand for: %s", (kind) => {
    fc.assert(
      fc.property(few(KINDS[kind] ?? fc.constant(fractionOf(0))), (drawn) => {
        expect(signFlipTest(once(drawn.map(toNumber)), seededBits(1))).toBe(shareThatReaches(drawn));
      }),
    );
  });

  test("never says less than the two ways that surely reach as far, whatever the numbers", () => {
    const any = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 20 });
    fc.assert(
      fc.property(any, (numbers) => {
        const p = signFlipTest(once(numbers), seededBits(1));
        expect(p >= Math.min(1, 2 / 2 ** numbers.length) && p <= 1).toBe(true);
      }),
    );
  });
});

describe("the sign-flip test of many problems", () => {
  test("takes sums that are equal on paper as equal, at any scale, and is never 0", () => {
    // A difference of a third and two of a sixth, 13 times each way: the sum is 0, and every flip reaches as far.
    for (const scale of [1e-300, 1e-9, 1, 1e12, 1e308]) {
      const sizes = [1 / 3, -1 / 6, -1 / 6].map((size) => size * scale);
      const differences = sizes.flatMap((size) => Array.from({ length: 13 }, () => [size, 1] as const));
      expect(signFlipTest(differences, seededBits(1))).toBe(1);
    }
    for (const problems of [21, 2_000, 2_001, 40_000]) {
      const rises = Array.from({ length: problems }, (_, at) => [1e9 + at, 1] as const);
      const p = signFlipTest(rises, seededBits(1));
      expect(p > 0 && p <= 1e-4).toBe(true);
    }
  });

  test("says what counting says where drawing begins", () => {
    const numbers = (count: number) =>
      once(Array.from({ length: count }, (_, at) => (at % 3 === 0 ? -(at + 1) : at + 1) / 7));
    const [counted, drawn] = [20, 21].map((count) => signFlipTest(numbers(count), seededBits(1)));
    expect(Math.abs((counted ?? 0) - (drawn ?? 1))).toBeLessThan(0.1);
  });
});

test("a share is the fraction that it was divided from, up to thousands of trials of either model", () => {
  const trials = fc.integer({ min: 1, max: 8_192 });
  fc.assert(
    fc.property(fc.nat(8_192), trials, fc.nat(8_192), trials, (hits, size, others, otherSize) => {
      const over = (hits % (size + 1)) * otherSize - (others % (otherSize + 1)) * size;
      const found = fractionOf(over / (size * otherSize));
      expect(found.over * BigInt(size * otherSize)).toBe(BigInt(over) * found.under);
    }),
  );
});

test("models with three and seven trials are compared by the exact share of flips", () => {
  const trials = fc.constantFrom(1, 3, 7).chain((size) => fc.tuple(fc.nat(size), fc.constant(size)));
  const pairs = fc.array(fc.tuple(trials, trials), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(pairs, (drawn) => {
      const all: typeof drawn = [
        ...drawn,
        [
          [1, 3],
          [1, 3],
        ],
      ];
      const side = (at: 0 | 1) => new Map(all.map((pair, problem) => [`p${problem}`, countsOf(pair[at])]));
      const differences = all.map(([[hits, size], [others, otherSize]]) => ({
        over: BigInt(hits * otherSize - others * size),
        under: BigInt(size * otherSize),
      }));
      expect(compareModels(side(0), side(1)).pValue).toBe(shareThatReaches(differences));
    }),
  );
});

const countsOf = ([correct, size]: readonly [number, number]): ProblemCounts => ({
  ...{ correct, wrong: size - correct, unscored: 0, model: 0, code: 0, infrastructure: 0, stopped: 0 },
});

describe("drift", () => {
  /** Of each problem what its runs cost, in nano-dollars. */
  function sampleOf(problems: readonly (readonly number[])[]): DriftSample {
    const sample = new DriftSample();
    for (const [at, costs] of problems.entries()) {
      const problemId = ProblemId.parse(`p${at}`);
      for (const nanoUsd of costs) sample.addEntry(aLogEntry({ problemId, costUsd: nanoUsd / 1e9 }));
    }
    return sample;
  }

  test("on five problems or fewer is never told, whatever the runs cost", () => {
    const costs = fc.array(fc.nat(3_000_000), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(fc.array(fc.tuple(costs, costs), { maxLength: 5 }), (problems) => {
        const now = sampleOf(
          problems.map(([mine, theirs]) => mine.map((each) => each + Math.max(...theirs))),
        );
        expect(findDrift(now, sampleOf(problems.map(([, theirs]) => theirs))).map(driftSentence)).toEqual([]);
      }),
    );
  });

  test("of a rise by exactly a tenth is told, with thirds and sevenths of a nano-dollar", () => {
    const costs = fc.array(
      fc.integer({ min: 1, max: 10 ** 12 }).map((each) => each * 10),
      {
        minLength: 3,
        maxLength: 7,
      },
    );
    fc.assert(
      fc.property(fc.array(costs, { minLength: 8, maxLength: 12 }), (before) => {
        const now = before.map((each) => each.map((nanoUsd) => (nanoUsd / 10) * 11));
        expect(findDrift(sampleOf(now), sampleOf(before))).toMatchObject([
          { measure: "cost", adjustedP: expect.closeTo(6 / 2 ** before.length, 12) },
        ]);
      }),
      { numRuns: 40 },
    );
  });
});
