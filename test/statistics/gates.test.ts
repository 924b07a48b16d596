import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemId } from "../../src/domain/ids.ts";
import type { Gates } from "../../src/domain/stats/gates.ts";
import { judgeGates } from "../../src/statistics/gates/gates.ts";
import { Outcomes } from "../../src/statistics/outcomes.ts";
import { compareEvaluations, evaluationReport } from "../../src/statistics/report.ts";

/** Of every problem, which trials are correct, and the tone of each. */
type Runs = readonly (readonly { readonly correct: boolean; readonly tone: number }[])[];

function outcomesOf(runs: Runs, models: readonly string[] = ["steady"]): Outcomes {
  const outcomes = new Outcomes();
  for (const model of models)
    for (const [at, trials] of runs.entries())
      for (const { correct, tone } of trials)
        outcomes.addEntry({
          ...{ providerKey: "scripted", model, problemId: ProblemId.parse(`p${at}`) },
          ...{ tags: ["all"], correct, failure: null, score: null, metrics: { tone } },
        });
  return outcomes;
}

function judge(gates: Gates, now: Outcomes, before: Outcomes) {
  const comparisons = compareEvaluations(
    { evaluation: "now", model: null, outcomes: now },
    { evaluation: "before", model: null, outcomes: before },
  );
  const against = { baseline: "before", outcomes: before, comparisons };
  return judgeGates(gates, { report: evaluationReport(now), outcomes: now, against });
}

const run = fc.record({
  correct: fc.boolean(),
  tone: fc.integer({ min: -5, max: 20 }).map((tenth) => tenth / 10),
});
const aimed = (share: number) =>
  fc.record({ correct: fc.nat(99).map((drawn) => drawn < share), tone: run.map(({ tone }) => tone) });
const plans = fc
  .record({
    problems: fc.integer({ min: 1, max: 40 }),
    trials: fc.integer({ min: 1, max: 3 }),
    share: fc.constantFrom(10, 50, 90, 100),
  })
  .chain(({ problems, trials, share }) => {
    const runs = fc.array(fc.array(aimed(share), { minLength: trials, maxLength: trials }), {
      ...{ minLength: problems, maxLength: problems },
    });
    return fc.record({ now: runs, before: runs, gains: runs });
  });
const limit = fc.constantFrom(0, 0.3, 0.5, 0.8, 0.95, 1);
const gates: fc.Arbitrary<Gates> = fc.record({
  accuracy: limit,
  passRate: limit,
  tags: fc.record({ all: limit }),
  metrics: fc.record({ tone: fc.constantFrom(-0.2, 0.5, 1.5) }),
  maxDrop: fc.constantFrom(0, 3, 20, 100),
  regression: fc.constant(true),
});

describe("the decision of a gate", () => {
  test("never turns from passed into failed because a candidate is better", () => {
    fc.assert(
      fc.property(plans, gates, ({ now, before, gains }, asked) => {
        const better = now.map((trials, at) =>
          trials.map(({ correct, tone }, trial) => {
            const gain = gains[at]?.[trial];
            return {
              correct: correct || gain?.correct === true,
              tone: gain?.correct === true ? tone + Math.abs(gain.tone) : tone,
            };
          }),
        );
        const first = judge(asked, outcomesOf(now), outcomesOf(before));
        const second = judge(asked, outcomesOf(better), outcomesOf(before));
        expect(second).toHaveLength(6);
        for (const [at, { outcome }] of first.entries())
          if (outcome === "passed") expect(second[at]?.outcome).not.toBe("failed");
      }),
      { numRuns: 150 },
    );
  });

  test("is passed for a drop where the data are equal, and for any share where all is correct", () => {
    fc.assert(
      fc.property(plans, gates, ({ now, before }, asked) => {
        const drops = judge({ maxDrop: asked.maxDrop, regression: true }, outcomesOf(now), outcomesOf(now));
        const perfect = now.map((trials) => trials.map((each) => ({ ...each, correct: true })));
        const { metrics: _, ...shares } = asked;
        const all = [...drops, ...judge(shares, outcomesOf(perfect), outcomesOf(before))];
        expect(all.map(({ outcome }) => outcome)).toEqual(Array(7).fill("passed"));
      }),
      { numRuns: 100 },
    );
  });

  test("is open only where the interval has the limit in it, and says what would decide", () => {
    let open = 0;
    fc.assert(
      fc.property(plans, gates, ({ now, before }, asked) => {
        for (const { outcome, measured, limit, needed, says } of judge(
          asked,
          outcomesOf(now),
          outcomesOf(before),
        )) {
          if (outcome === "failed") expect(measured?.value).toBeLessThan(limit);
          if (outcome !== "undecided") continue;
          open++;
          expect(measured?.low).toBeLessThanOrEqual(limit);
          expect(measured?.high).toBeGreaterThanOrEqual(limit);
          if (needed === null) expect(says).toContain("so close to the limit");
          else expect(says).toMatch(/if it stays so, about [\d,]+ (?:problems|trials) would decide/);
        }
      }),
      { numRuns: 200 },
    );
    expect(open).toBeGreaterThan(100);
  });
});

/** So many of 20 problems are correct. */
const ofTwenty = (correct: number): Runs =>
  Array.from({ length: 20 }, (_, at) => [{ correct: at < correct, tone: at }]);

test.each([
  [20, "passed", "passed"],
  [19, "undecided", "undecided"],
  [16, "undecided", "undecided"],
  [10, "failed", "failed"],
])("twenty of twenty falling to %d is %s", (correct, maxDrop, regression) => {
  const models = ["steady", "hasty"];
  const results = judge(
    { maxDrop: 3, regression: true },
    outcomesOf(ofTwenty(correct), models),
    outcomesOf(ofTwenty(20), models),
  );
  expect(results.map(({ gate, outcome }) => [gate, outcome])).toEqual([
    ...[
      ["maxDrop", maxDrop],
      ["regression", regression],
    ],
    ...[
      ["maxDrop", maxDrop],
      ["regression", regression],
    ],
  ]);
});

test("what would decide does, when the share stays as it is", () => {
  const share = (problems: number) =>
    outcomesOf(Array.from({ length: problems }, (_, at) => [{ correct: at % 10 !== 0, tone: 0 }]));
  const decide = (problems: number) => judge({ accuracy: 0.8 }, share(problems), share(problems))[0];
  expect(decide(10)).toMatchObject({ outcome: "undecided", needed: { problems: 62 } });
  expect(decide(60)?.outcome).toBe("undecided");
  expect(decide(70)?.outcome).toBe("passed");
});

test("a gate without anything to judge is failed", () => {
  const runs = outcomesOf(ofTwenty(20));
  const unknown = judge({ tags: { safty: 0.1 }, metrics: { tune: 0 } }, runs, runs);
  expect(unknown.map(({ outcome, says }) => [outcome, says])).toEqual([
    ["failed", "accuracy of problems tagged safty is unknown, as no run has one; it must be at least 10.0%"],
    ["failed", "mean tune is unknown, as no run has one; it must be at least 0"],
  ]);
});

test("the pass rate names the problems that decide", () => {
  const trials = (correct: number) =>
    Array.from({ length: 5 }, (_, at) => ({ correct: at < correct, tone: 0 }));
  const rate = (...problems: number[]) => {
    const runs = outcomesOf(problems.map(trials));
    return judge({ passRate: 0.6 }, runs, runs).map(({ outcome, says }) => [outcome, says]);
  };
  expect(rate(5, 5)).toEqual([["passed", "at least 60.0% of the trials of every problem are correct"]]);
  expect(rate(5, 2, 0)).toEqual([
    ["failed", "2 problems (p2 0 of 5, p1 2 of 5) with less than 60.0% of correct trials"],
  ]);
  expect(rate(5, 4)).toEqual([
    [
      "undecided",
      "1 problem (p1 4 of 5) with at least 60.0% of correct trials, maybe by chance; if it stays so, about 24 trials would decide",
    ],
  ]);
});
