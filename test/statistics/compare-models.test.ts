import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ModelKey } from "../../src/domain/model.ts";
import { compareAll, compareModels } from "../../src/statistics/compare.ts";
import type { ModelOutcomes } from "../../src/statistics/outcomes.ts";
import { costPerSolved, rankingDoubts } from "../../src/statistics/report.ts";
import { outcomesOf } from "../fixtures/statistics/outcomes.ts";

const NONE = { correct: 0, wrong: 0, unscored: 0, model: 0, code: 0, infrastructure: 0, stopped: 0 };
const RIGHT = { correct: 1 };
const WRONG = { wrong: 1 };

describe("two models with one run per problem", () => {
  // Complete response before and after (Cavo et al. 2012); contingencytables prints P = 0.052479, and Bonett and
  // Price's interval would leave out 0: see paired.test.ts.
  test("are compared by McNemar's exact test, with an interval that says the same", () => {
    const before = outcomesOf([59, RIGHT], [6, RIGHT], [16, WRONG], [80, WRONG]);
    const after = outcomesOf([59, RIGHT], [6, WRONG], [16, RIGHT], [80, WRONG]);
    expect(compareModels(before, after)).toEqual({
      pairedProblems: 161,
      difference: expect.closeTo(-10 / 161, 12),
      interval: { low: expect.closeTo(-0.1268, 4), high: expect.closeTo(0.0006, 4) },
      pValue: expect.closeTo(0.052479, 6),
      adjustedP: expect.closeTo(0.052479, 6),
      verdict: "not distinguishable",
      detectable: expect.closeTo(0.087, 3),
      problemsNeeded: 292,
    });
  });

  test("a clear difference is told, and its direction", () => {
    const [good, bad] = [outcomesOf([30, RIGHT]), outcomesOf([10, RIGHT], [20, WRONG])];
    expect(compareModels(good, bad)).toMatchObject({ verdict: "better", problemsNeeded: null });
    expect(compareModels(bad, good)).toMatchObject({ verdict: "worse", problemsNeeded: null });
  });

  test("only problems that both have a verdict for are compared; a model's own failure is one", () => {
    const first = outcomesOf([3, RIGHT], [1, { infrastructure: 1 }], [1, { unscored: 1 }], [2, { model: 1 }]);
    const second = outcomesOf([7, RIGHT], [5, RIGHT]);
    expect(compareModels(first, second)).toMatchObject({ pairedProblems: 5, difference: -2 / 5 });
  });

  test("no common problem is no difference at all", () => {
    expect(compareModels(outcomesOf([3, RIGHT]), new Map())).toEqual({
      pairedProblems: 0,
      difference: null,
      interval: null,
      pValue: 1,
      adjustedP: 1,
      verdict: "not distinguishable",
      detectable: null,
      problemsNeeded: null,
    });
  });
});

test("with several runs per problem their shares are compared, by flipping signs", () => {
  const better = outcomesOf([8, { correct: 3 }], [4, { correct: 2, wrong: 1 }]);
  const worse = outcomesOf([8, { correct: 2, wrong: 1 }], [4, { correct: 2, wrong: 1 }]);
  expect(compareModels(better, worse)).toMatchObject({
    difference: expect.closeTo(8 / 36, 12),
    pValue: 2 / 2 ** 8,
    verdict: "better",
  });
});

test("with few problems an interval has 0 where the test does not tell, and none where it does", () => {
  const shares = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(shares, fc.constantFrom(1, 3), (all, trials) => {
      const side = (at: 0 | 1) =>
        new Map(
          all.map((pair, problem) => {
            const correct = Math.min(pair[at], trials);
            return [`p${problem}`, { ...NONE, correct, wrong: trials - correct }] as const;
          }),
        );
      const { interval, pValue } = compareModels(side(0), side(1));
      if (interval === null) throw new Error("no interval");
      expect(interval.low > 0 || interval.high < 0).toBe(pValue < 0.05);
    }),
    { numRuns: 150 },
  );
});

test("the more models are compared, the more it takes", () => {
  const [good, bad] = [outcomesOf([30, RIGHT]), outcomesOf([22, RIGHT], [8, WRONG])];
  const [alone] = compareAll([[good, bad]]);
  const [among] = compareAll([[good, bad], ...Array.from({ length: 9 }, () => [good, good] as const)]);
  expect(alone).toMatchObject({ verdict: "better", pValue: expect.closeTo(2 / 256) });
  expect(among).toMatchObject({ verdict: "not distinguishable", adjustedP: expect.closeTo(20 / 256) });
  expect(among?.problemsNeeded).toBeGreaterThan(30);
});

test("as many problems as are said to tell do tell, at the same rates and beside as many other models", () => {
  const seen = fc.tuple(
    fc.integer({ min: 1, max: 12 }),
    fc.nat(6),
    fc.nat(12),
    fc.integer({ min: 1, max: 9 }),
  );
  fc.assert(
    fc.property(seen, ([won, lost, same, models]) => {
      const problems = won + lost + same;
      const compare = (count: number) => {
        const part = (of: number) => Math.round((of * count) / problems);
        const [ahead, differing] = [part(won), part(won + lost)];
        const first = outcomesOf([ahead, RIGHT], [differing - ahead, WRONG], [count - differing, RIGHT]);
        const second = outcomesOf([ahead, WRONG], [count - ahead, RIGHT]);
        return compareAll(Array.from({ length: models }, () => [first, second] as const))[0];
      };
      const needed = compare(problems)?.problemsNeeded ?? null;
      fc.pre(needed !== null && lost < won);
      expect(compare(needed ?? 0)).toMatchObject({ verdict: "better" });
    }),
    { numRuns: 60 },
  );
});

test.each([
  [1, 1, 6],
  [2, 1, 6],
  [5, 1, 6],
  [3, 2, 7],
  [3, 10, 9],
])("all of %i problems turned wrong in each of %i models: %i would tell", (problems, models, needed) => {
  const pair = [outcomesOf([problems, WRONG]), outcomesOf([problems, RIGHT])] as const;
  const [first] = compareAll(Array.from({ length: models }, () => pair));
  expect(first).toMatchObject({ verdict: "not distinguishable", problemsNeeded: needed });
});

const counts = fc.record({
  correct: fc.nat(3),
  wrong: fc.nat(2),
  unscored: fc.nat(1),
  model: fc.nat(1),
  code: fc.nat(1),
  infrastructure: fc.nat(1),
  stopped: fc.nat(1),
});
const outcomes = fc
  .array(counts, { maxLength: 30 })
  .map((all) => new Map(all.map((each, at) => [`p${at}`, each])));

test("fractions that cancel are no difference, and no number of problems would tell one", () => {
  const a = outcomesOf([1, { correct: 2, wrong: 1 }], [1, { correct: 1, wrong: 3 }], [1, { correct: 1 }]);
  const b = outcomesOf(
    [1, { correct: 1, wrong: 1 }],
    [1, { correct: 2, wrong: 1 }],
    [1, { correct: 3, wrong: 1 }],
  );
  for (const told of [compareModels(a, b), compareModels(b, a)])
    expect(told).toMatchObject({ difference: 0, problemsNeeded: null });
});

test("turning two models round turns the difference, and nothing else", () => {
  fc.assert(
    fc.property(outcomes, outcomes, (a, b) => {
      const [here, there] = [compareModels(a, b), compareModels(b, a)];
      expect(there.pValue).toBeCloseTo(here.pValue, 12);
      expect(there.pairedProblems).toBe(here.pairedProblems);
      expect(there.problemsNeeded).toBe(here.problemsNeeded);
      expect((there.difference ?? 0) + (here.difference ?? 0)).toBeCloseTo(0, 12);
      expect((there.interval?.low ?? 0) + (here.interval?.high ?? 0)).toBeCloseTo(0, 9);
      expect(compareModels(a, a)).toMatchObject({ verdict: "not distinguishable", pValue: 1 });
    }),
    { numRuns: 60 },
  );
});

describe("lost runs", () => {
  const doubts = (models: Record<string, ModelOutcomes>) =>
    rankingDoubts(new Map(Object.entries(models).map(([key, each]) => [ModelKey.parse(key), each])));

  test("put a ranking in doubt when they could turn it", () => {
    const models = {
      "a/ahead": outcomesOf([8, RIGHT], [2, { infrastructure: 1 }]),
      "b/behind": outcomesOf([7, RIGHT], [2, WRONG], [1, { code: 1 }]),
    };
    expect(doubts(models)).toEqual([{ ahead: "a/ahead", behind: "b/behind", lostRuns: 3 }]);
  });

  test("do not where the lead is larger than what was lost, or where nothing was", () => {
    const lost = { infrastructure: 1 };
    expect(
      doubts({
        "a/ahead": outcomesOf([9, RIGHT], [1, lost]),
        "b/behind": outcomesOf([2, RIGHT], [7, WRONG], [1, lost]),
      }),
    ).toEqual([]);
    expect(doubts({ "a/a": outcomesOf([9, RIGHT]), "b/b": outcomesOf([8, RIGHT], [1, WRONG]) })).toEqual([]);
    expect(doubts({ "a/a": outcomesOf([9, RIGHT]), "b/b": outcomesOf([9, lost]) })).toEqual([]);
  });
});

describe("whatever became of the runs", () => {
  const [a, b, c] = [ModelKey.parse("m/a"), ModelKey.parse("m/b"), ModelKey.parse("m/c")];
  const doubted = (...models: [ModelKey, ModelOutcomes][]) =>
    rankingDoubts(new Map(models))
      .map(({ ahead, behind }) => `${ahead} before ${behind}`)
      .sort();

  test("a ranking is doubted in any order of models, the more so the more is lost, and never without", () => {
    fc.assert(
      fc.property(outcomes, outcomes, outcomes, (one, two, three) => {
        const doubts = doubted([a, one], [b, two], [c, three]);
        expect(doubted([c, three], [a, one], [b, two])).toEqual(doubts);
        const lost = new Map([...one, ["more", { ...NONE, infrastructure: 1 }]]);
        const more = doubted([a, lost], [b, two], [c, three]);
        expect(doubts.filter((doubt) => !more.includes(doubt))).toEqual([]);
        const kept = [one, two, three].map(
          (all) => new Map([...all].map(([id, each]) => [id, { ...each, code: 0, infrastructure: 0 }])),
        );
        expect(
          doubted(...kept.map((all, at) => [[a, b, c][at] ?? a, all] as [ModelKey, typeof all])),
        ).toEqual([]);
      }),
    );
  });

  test("a comparison is within its bounds, and no order of problems changes a digit", () => {
    fc.assert(
      fc.property(outcomes, outcomes, (first, second) => {
        const told = compareModels(first, second);
        expect(compareModels(new Map([...first].reverse()), new Map([...second].reverse()))).toEqual(told);
        expect(told.pValue > 0 && told.pValue <= 1).toBe(true);
        if (told.difference === null || told.interval === null) return;
        const { low, high } = told.interval;
        expect(-1 <= low && low <= told.difference && told.difference <= high && high <= 1).toBe(true);
        if (told.problemsNeeded !== null) expect(told.problemsNeeded).toBeGreaterThan(told.pairedProblems);
      }),
      { numRuns: 60 },
    );
  });
});

test("a right answer costs at most all, less with every other one, and more with every dollar", () => {
  const dollars = fc.integer({ min: 1, max: 1e9 }).map((cents) => cents / 100);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), dollars, (correct, costUsd) => {
      const usdOf = (right: number, usd: number) =>
        costPerSolved({ correct: right, costUsd: usd, runsWithUnknownCost: 0 })?.usd ?? Number.NaN;
      const usd = usdOf(correct, costUsd);
      expect(usd > 0 && usd <= costUsd).toBe(true);
      expect(usdOf(correct + 1, costUsd)).toBeLessThan(usd);
      expect(usdOf(correct, costUsd + 1)).toBeGreaterThan(usd);
    }),
  );
});

test.each([
  [
    { correct: 4, costUsd: 0.02, runsWithUnknownCost: 0 },
    { usd: 0.005, isLowerBound: false },
  ],
  [
    { correct: 4, costUsd: 0.02, runsWithUnknownCost: 1 },
    { usd: 0.005, isLowerBound: true },
  ],
  [{ correct: 0, costUsd: 0.02, runsWithUnknownCost: 0 }, null],
  [{ correct: 4, costUsd: null, runsWithUnknownCost: 4 }, null],
])("what a right answer costs: %j", (stats, expected) => {
  expect(costPerSolved(stats)).toEqual(expected);
});
