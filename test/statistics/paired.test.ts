import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactPairedInterval, pairedInterval } from "../../src/statistics/paired-intervals.ts";
import {
  countDifferences,
  dropMcnemar,
  dropTest,
  holmAdjusted,
  mcnemarExact,
  type PairedDifferences,
  signFlipTest,
  sumDifferences,
} from "../../src/statistics/paired-tests.ts";
import { seededBits } from "../../src/statistics/random.ts";
import { chanceOf } from "../fixtures/statistics/chances.ts";

const discordant = fc.nat(300);
const once = (won: number, lost: number, same = 0): PairedDifferences =>
  new Map([
    [-1, lost],
    [0, same],
    [1, won],
  ]);
const mirrored = (differences: PairedDifferences): PairedDifferences =>
  new Map([...differences].map(([difference, count]): [number, number] => [-difference, count]).reverse());

function countEach(all: readonly number[]): PairedDifferences {
  const counts = new Map<number, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

describe("McNemar's exact test", () => {
  // The examples of Fagerland, Lydersen and Laake, BMC Medical Research Methodology 2013, 13:91; the digits are those
  // that their package contingencytables (tests/testthat/test-ch8.R) and exact2x2's mcnemar.exact print.
  test.each([
    ["airway hyper-responsiveness (Bentur et al. 2009)", 1, 7, 0.0703125],
    ["complete response (Cavo et al. 2012)", 6, 16, 0.052479],
    ["tonsils and Hodgkin's disease", 7, 15, 0.1338],
  ])("%s: %d against %d is %d", (_what, b, c, p) => {
    const digits = String(p).length - 2;
    expect(mcnemarExact(b, c)).toBeCloseTo(p, digits);
  });

  test("is never 0, however many problems went one way", () => {
    for (const problems of [1_000, 1_100, 1_000_000]) expect(mcnemarExact(0, problems)).toBeGreaterThan(0);
  });

  test("is a probability, does not mind which is which, and falls as one side gains", () => {
    fc.assert(
      fc.property(discordant, discordant, (b, c) => {
        const p = mcnemarExact(b, c);
        expect(p > 0 && p <= 1).toBe(true);
        expect(mcnemarExact(c, b)).toBe(p);
        expect(mcnemarExact(Math.max(b, c) + 1, Math.min(b, c))).toBeLessThanOrEqual(p + 1e-12);
      }),
    );
  });
});

/**
 * Darwin's 15 pairs of maize, in eighths of an inch, from Fisher, The Design of Experiments (1935), § 17 (his t) and
 * § 21 (all 32,768 signs, of which 863 reach as far on one side); R has the heights as HistData::ZeaMays.
 */
const DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];

describe("the sign-flip test", () => {
  const flip = (differences: PairedDifferences) => signFlipTest(differences, seededBits(1));

  test("finds Fisher's 1,726 of 32,768 for Darwin's maize", () => {
    expect(flip(new Map(DARWIN.map((difference) => [difference, 1])))).toBe(1_726 / 32_768);
  });

  test("is McNemar's test where each problem has one run", () => {
    for (const [won, lost] of [
      [5, 0],
      [7, 1],
      [12, 8],
      [3, 3],
    ] as const) {
      expect(flip(once(won, lost, 4))).toBeCloseTo(mcnemarExact(won, lost), 12);
    }
    // Drawn, not counted: within five standard errors of 9,999 draws.
    expect(Math.abs(flip(once(40, 20)) - mcnemarExact(40, 20))).toBeLessThan(0.007);
  });

  test("is a probability, does not mind which is which, and gives the same again", () => {
    const some = fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: 1, max: 9 })), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(some, (drawn) => {
        const differences = new Map(drawn.map(([quarters, count]) => [quarters / 4, count]));
        const p = flip(differences);
        expect(p > 0 && p <= 1).toBe(true);
        expect(flip(mirrored(differences))).toBe(p);
        expect(flip(new Map([...differences].reverse()))).toBe(p);
      }),
      { numRuns: 40 },
    );
  });

  test("finds a mean the less likely the further it is from the one seen", () => {
    const few = fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(few, fc.nat(40), fc.nat(40), (sixths, nearer, further) => {
        const mean = sixths.reduce((sum, each) => sum + each, 0) / sixths.length;
        const against = (distance: number) =>
          flip(countEach(sixths.map((each) => each - mean + distance / 8)));
        expect(against(nearer + further)).toBeLessThanOrEqual(against(nearer));
      }),
    );
  });

  test("of thousands of sizes is what drawing them says", () => {
    const sizes = (count: number) =>
      new Map(
        Array.from({ length: count }, (_, at) => [(at % 41 < 21 ? 1 : -1) * (1 + at / 1e4), 1] as const),
      );
    const [drawn, normal] = [flip(sizes(2_000)), flip(sizes(2_001))];
    expect(drawn).toBeGreaterThan(0.05);
    expect(Math.abs(drawn - normal)).toBeLessThan(0.03);
  });

  test("no difference is as likely as can be", () => {
    expect(flip(new Map())).toBe(1);
    expect(flip(once(0, 0, 50))).toBe(1);
  });
});

describe("the mean of paired differences", () => {
  test("is 0 where thirds and sevenths cancel on paper, however many problems there are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.constantFrom(3, 7, 21), (problems, parts) => {
        const cancelling = new Map([
          [1 / parts, problems],
          [-2 / parts, problems],
          [-1 / 5, problems * 2],
          [1 / parts + 2 / 5, problems],
        ]);
        expect(sumDifferences(cancelling).mean).toBe(0);
      }),
    );
  });

  test("is not 0 where one of a billion problems differs", () => {
    expect(sumDifferences(once(1, 0, 1e9)).mean).toBeGreaterThan(0);
    expect(sumDifferences(new Map([[1 / 8_192 ** 2, 1]])).mean).toBe(1 / 8_192 ** 2);
  });
});

describe("the interval of a paired difference", () => {
  // Fagerland, Lydersen and Laake, Statistical Analysis of Contingency Tables (2017), chapter 8, as its own package
  // contingencytables prints it in Wald_CI_BonettPrice_paired_2x2(cavo_2012), tests/testthat/test-ch8.R.
  test("one run: −0.1195 to −0.0032 for complete response (Cavo et al. 2012)", () => {
    const { low, high } = pairedInterval(once(6, 16, 139), true);
    expect(low).toBeCloseTo(-0.1195, 4);
    expect(high).toBeCloseTo(-0.0032, 4);
  });

  test("several runs: Darwin's maize has Fisher's t of 2.148", () => {
    // Scaled into shares, which t does not mind.
    const shares = new Map(DARWIN.map((difference) => [difference / 100, 1]));
    const { low, high } = pairedInterval(shares, false);
    const { mean } = sumDifferences(shares);
    expect((mean / (high - low)) * 2 * 2.144787).toBeCloseTo(2.148, 3);
  });

  test("is within −1 and 1, wider than nothing, and turns round with the models", () => {
    const cluster = fc
      .integer({ min: 1, max: 4 })
      .chain((size) => fc.record({ hits: fc.nat(size), size: fc.constant(size) }));
    const pairs = fc.array(fc.tuple(cluster, cluster), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(pairs, (all) => {
        const differences = countDifferences(all);
        const { low, high } = pairedInterval(differences, false);
        expect(-1 <= low && low < high && high <= 1).toBe(true);
        const turned = pairedInterval(countDifferences(all.map(([a, b]) => [b, a])), false);
        expect(turned.low).toBeCloseTo(-high, 9);
        expect(countDifferences(all.toReversed())).toEqual(differences);
      }),
    );
  });

  test("equal fractions are one difference, whatever they are made of", () => {
    const pairs = [
      [
        { hits: 3, size: 3 },
        { hits: 2, size: 3 },
      ],
      [
        { hits: 1, size: 3 },
        { hits: 0, size: 3 },
      ],
      [
        { hits: 2, size: 6 },
        { hits: 0, size: 1 },
      ],
    ] as const;
    expect([...countDifferences(pairs)]).toEqual([[1 / 3, 3]]);
  });
});

describe("the interval that goes with McNemar's exact test", () => {
  test("leaves out 0 exactly where the test has a p-value under 0.05, and holds what was seen", () => {
    for (const problems of [5, 9, 14]) {
      for (let won = 0; won <= problems; won++) {
        for (let lost = 0; won + lost <= problems; lost += 2) {
          const { low, high } = exactPairedInterval({ won, lost, problems });
          expect(low > 0 || high < 0).toBe(mcnemarExact(won, lost) < 0.05);
          const seen = (won - lost) / problems;
          expect(-1 <= low && low <= seen && seen <= high && high <= 1).toBe(true);
        }
      }
    }
  });

  // R prints 0.002809137 to 0.482496515 for binom.test(1, 9).
  test("is Clopper and Pearson's where all problems differ", () => {
    expect(exactPairedInterval({ won: 8, lost: 1, problems: 9 }).high).toBeCloseTo(1 - 2 * 0.002809137, 8);
  });

  test("goes up to Clopper and Pearson's share of problems that differ where all of those are won", () => {
    expect(exactPairedInterval({ won: 4, lost: 0, problems: 5 }).high).toBeCloseTo(0.975 ** (1 / 5), 8);
    expect(exactPairedInterval({ won: 0, lost: 0, problems: 20 }).high).toBeCloseTo(1 - 0.025 ** (1 / 20), 8);
  });

  // Fay and Lumbard, Statistics in Medicine 2021, 40:1147: a share of beta-distributed differing problems, times how
  // many more of those are won than lost. Drawn here, within four standard errors of 20,000 draws.
  test("is the quantile of what it melds", () => {
    const bits = seededBits(7);
    const uniforms = (count: number) =>
      Array.from({ length: count }, () => bits() / 2 ** 32).sort((a, b) => a - b);
    const beta = (a: number, b: number) => uniforms(a + b - 1)[a - 1] ?? Number.NaN;
    const { low } = exactPairedInterval({ won: 7, lost: 1, problems: 21 });
    const below = Array.from({ length: 20_000 }, () => beta(9, 13) * (2 * beta(7, 2) - 1)).filter(
      (difference) => difference <= low,
    );
    expect(Math.abs(below.length / 20_000 - 0.025)).toBeLessThan(0.0045);
  });
});

describe("Holm's correction", () => {
  // Statsmodels, statsmodels/stats/tests/test_multi.py, res_multtest1: the column Holm of R's multtest.
  test("gives the numbers of R's multtest", () => {
    const pValues = [
      0.838541367553, 0.642193923795, 0.680845947633, 0.967833824309, 0.71626938238, 0.177096952723,
      5.23656777208e-5, 0.0202732688798, 0.00028140506198, 0.0149877310796,
    ];
    const printed = [1, 1, 1, 1, 1, 1, 5.23656777208e-4, 0.1419128821586, 0.00253264555782, 0.1199018486368];
    for (const [at, p] of holmAdjusted(pValues).entries()) expect(p).toBeCloseTo(printed[at] ?? -1, 13);
  });

  // The example of the encyclopedia (Wikipedia, Holm–Bonferroni method): of 0.01, 0.04, 0.03 and 0.005, the first and
  // the fourth are rejected at 5%.
  test("0.01, 0.04, 0.03 and 0.005 become 0.03, 0.06, 0.06 and 0.02", () => {
    const adjusted = holmAdjusted([0.01, 0.04, 0.03, 0.005]);
    for (const [at, p] of [0.03, 0.06, 0.06, 0.02].entries()) expect(adjusted[at]).toBeCloseTo(p, 12);
  });

  test("lies between the p-value and Bonferroni's, keeps the order, and does not mind it", () => {
    const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
    fc.assert(
      fc.property(pValues, (all) => {
        const adjusted = holmAdjusted(all);
        expect(holmAdjusted(all.toReversed())).toEqual(adjusted.toReversed());
        for (const [at, p] of all.entries()) {
          const own = adjusted[at] ?? Number.NaN;
          expect(own >= p && own <= Math.min(1, p * all.length)).toBe(true);
          for (const [other, q] of all.entries()) if (p < q) expect(own <= (adjusted[other] ?? 0)).toBe(true);
        }
      }),
    );
  });
});

describe("the test of drops", () => {
  // scipy 1.17.1: binom.cdf(won - 1, won + lost, 0.5) + binom.pmf(won, won + lost, 0.5) / 2
  test.each([
    [0, 4, 0.03125],
    [0, 5, 0.015625],
    [6, 16, 0.01734483242034912],
    [2, 9, 0.019287109375],
    [9, 2, 0.980712890625],
    [40, 60, 0.023022033464671417],
    [0, 0, 0.5],
    [3, 3, 0.5],
  ])("%i won and %i lost: %d", (won, lost, p) => {
    expect(dropMcnemar(won, lost)).toBeCloseTo(p, 12);
    if (won + lost <= 20) expect(dropTest(once(won, lost, 7), seededBits(1))).toBeCloseTo(p, 12);
  });

  // scipy 1.17.1: permutation_test of the sum, "samples", with half of the chance of the sum itself.
  test("of shares of several trials is that of all flips of their signs", () => {
    const differences = countEach([-1 / 3, -2 / 3, 1 / 3, -1 / 3, -1, 0.5, -0.25, -1 / 3]);
    expect(dropTest(differences, seededBits(1))).toBeCloseTo(0.08203125, 12);
  });

  test("says of many that are drawn what it says of as many that are counted out", () => {
    for (const [won, lost] of [
      [9, 20],
      [20, 9],
      [30, 32],
    ] as const) {
      expect(dropTest(once(won, lost), seededBits(3))).toBeCloseTo(dropMcnemar(won, lost), 1);
    }
  });

  test("a drop and as large a rise leave nothing over, and no difference is even", () => {
    fc.assert(
      fc.property(fc.nat(10), fc.nat(10), (won, lost) => {
        expect(dropMcnemar(won, lost) + dropMcnemar(lost, won)).toBeCloseTo(1, 12);
      }),
    );
    expect(dropTest(once(0, 0, 9), seededBits(1))).toBe(0.5);
  });

  test("finds a drop where there is none in six of a hundred evaluations at most, from six problems on", () => {
    for (const problems of [6, 8, 10, 15, 20, 30, 50, 100]) {
      for (const differing of [0.1, 0.2, 0.4, 0.7, 1]) {
        const found = chanceOf(
          problems,
          { won: differing / 2, lost: differing / 2 },
          (won, lost) => dropMcnemar(won, lost) < 0.05,
        );
        expect(found, `${problems} problems, of which ${differing} differ`).toBeLessThan(0.06);
      }
    }
  });

  test("finds more drops than a test of any difference", () => {
    for (const [problems, least, most] of [
      [30, 0.27, 0.1],
      [50, 0.45, 0.25],
      [100, 0.74, 0.55],
    ] as const) {
      const rates = { won: 0.05, lost: 0.15 };
      expect(chanceOf(problems, rates, (won, lost) => dropMcnemar(won, lost) < 0.05)).toBeGreaterThan(least);
      const told = (won: number, lost: number) => lost > won && mcnemarExact(won, lost) < 0.05;
      expect(chanceOf(problems, rates, told)).toBeLessThan(most);
    }
  });
});
