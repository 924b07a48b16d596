import { ExactMatch, JSONDiff, Levenshtein, NumericDiff } from "autoevals";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Checker, Finding, Verdict } from "../../src/checkers/checker.ts";
import { all, any, fromScorer, not, weighted } from "../../src/checkers/combine.ts";
import { exact, includes } from "../../src/checkers/compare.ts";
import { aCheckContext } from "../fixtures/checkers/a-check-context.ts";

const saying =
  (verdict: Verdict): Checker =>
  () =>
    verdict;
const [yes, no, unsure] = [true, false, null].map(saying) as [Checker, Checker, Checker];

const check = (checker: Checker, result: unknown = "x", expected: unknown = "x") =>
  checker(result, expected, aCheckContext()) as Finding | Promise<Finding>;

describe("all, any and not", () => {
  test.each<[string, Checker, boolean | null, number | null]>([
    ["all right", all(yes, yes), true, 1],
    ["one of all wrong", all(yes, no, unsure), false, 0],
    ["one of all unsure", all(yes, unsure), null, 1],
    ["all of none", all(), true, null],
    ["one of any right", any(no, unsure, yes), true, 1],
    ["all of any wrong", any(no, no), false, 0],
    ["one of any unsure", any(no, unsure), null, 0],
    ["any of none", any(), false, null],
    ["not right", not(yes), false, 0],
    ["not wrong", not(no), true, 1],
    ["not unsure", not(unsure), null, null],
  ])("%s", async (_, checker, correct, score) => {
    expect(await check(checker)).toMatchObject({ correct, score });
  });

  test("give the reasons that decided", async () => {
    const checker = all(exact(), not(includes("Lima")));
    expect(await check(checker, "Lima", "Lima")).toEqual({
      correct: false,
      score: 0,
      reason: 'not: includes "Lima"',
    });
    expect(await check(checker, "Cusco", "Cusco")).toMatchObject({
      correct: true,
      reason: 'is "Cusco", as expected; not: "Cusco" does not include "Lima"',
    });
  });

  test("ask nobody for what is decided already", async () => {
    const dear: Checker = () => {
      throw new Error("nobody should ask me");
    };
    expect(await check(all(no, dear))).toMatchObject({ correct: false });
    expect(await check(any(yes, dear))).toMatchObject({ correct: true });
    await expect(check(all(yes, dear))).rejects.toThrow("nobody should ask me");
  });
});

test.each([
  ["an unknown key", { correct: true, why: "so" }, 'which has the unknown key "why"'],
  ["nothing", undefined, "the checker returned undefined; expected true"],
])("a part that returns %s is refused, and named", async (_, returned, message) => {
  const odd = saying(returned as Verdict);
  for (const checker of [all(odd), any(odd), not(odd), weighted([[odd, 1]])])
    await expect(check(checker)).rejects.toThrow(message);
});

const score = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
const verdict = fc.oneof(
  fc.constantFrom<Verdict>(true, false, null),
  fc.record({ correct: fc.boolean(), score }),
);
const checkers = fc.array(verdict.map(saying), { minLength: 1, maxLength: 5 });
const bare = async (checker: Checker) => {
  const { correct, score: given } = await check(checker);
  return { correct, score: given };
};

describe("whatever the checkers say", () => {
  test("not twice is not at all", async () => {
    await fc.assert(
      fc.asyncProperty(verdict.map(saying), async (checker) => {
        expect(await bare(not(not(checker)))).toEqual(await bare(all(checker)));
      }),
    );
  });

  test("not all is any not, and not any is all not", async () => {
    await fc.assert(
      fc.asyncProperty(checkers, async (given) => {
        expect(await bare(not(all(...given)))).toEqual(await bare(any(...given.map(not))));
        expect(await bare(not(any(...given)))).toEqual(await bare(all(...given.map(not))));
      }),
    );
  });

  test("all and any of one are that one", async () => {
    await fc.assert(
      fc.asyncProperty(verdict.map(saying), async (checker) => {
        expect(await bare(any(checker))).toEqual(await bare(all(checker)));
      }),
    );
  });

  test("a weighted score lies between the lowest and the highest", async () => {
    const part = fc.tuple(score, fc.integer({ min: 1, max: 9 }));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1 }), async (parts) => {
        const scores = parts.map(([each]) => each);
        const checker = weighted(
          parts.map(([each, weight]) => [saying({ correct: true, score: each }), weight]),
        );
        const { score: mean } = await check(checker);
        expect(mean).toBeGreaterThanOrEqual(Math.min(...scores) - 1e-6);
        expect(mean).toBeLessThanOrEqual(Math.max(...scores) + 1e-6);
      }),
    );
  });
});

describe("weighted", () => {
  test.each<[string, Checker, boolean | null, number | null]>([
    [
      "two thirds",
      weighted([
        [yes, 2],
        [no, 1],
      ]),
      true,
      0.666_667,
    ],
    [
      "one third",
      weighted([
        [yes, 1],
        [no, 2],
      ]),
      false,
      0.333_333,
    ],
    [
      "a higher bar",
      weighted(
        [
          [yes, 2],
          [no, 1],
        ],
        { atLeast: 0.7 },
      ),
      false,
      0.666_667,
    ],
    [
      "one that cannot say",
      weighted([
        [yes, 1],
        [unsure, 9],
      ]),
      true,
      1,
    ],
    ["nobody who can say", weighted([[unsure, 1]]), null, null],
    [
      "all of three thirds",
      weighted(
        [
          [yes, 0.1],
          [yes, 0.2],
        ],
        { atLeast: 1 },
      ),
      true,
      1,
    ],
  ])("%s", async (_, checker, correct, mean) => {
    expect(await check(checker)).toMatchObject({ correct, score: mean });
  });

  test("says what each part gave", async () => {
    const checker = weighted([
      [exact(), 2],
      [unsure, 1],
    ]);
    expect(await check(checker, "a", "b")).toMatchObject({
      reason: '0 × 2: is "a", expected "b"; – × 1: undecided',
    });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses the weight %d", (weight) => {
    expect(() => weighted([[yes, weight]])).toThrow("expected a number above 0");
  });
});

describe("fromScorer takes the scorers of autoevals", () => {
  test.each<[string, Checker, unknown, unknown, boolean, number, string]>([
    [
      "Levenshtein, near",
      fromScorer(Levenshtein),
      "Lime",
      "Lima",
      true,
      0.75,
      "Levenshtein gave 0.75; correct from 0.5",
    ],
    [
      "Levenshtein, of a value",
      fromScorer(Levenshtein),
      { value: "Lima" },
      "Lima",
      true,
      1,
      "Levenshtein gave 1",
    ],
    [
      "Levenshtein, a higher bar",
      fromScorer(Levenshtein, { atLeast: 0.8 }),
      "Lime",
      "Lima",
      false,
      0.75,
      "correct from 0.8",
    ],
    ["ExactMatch", fromScorer(ExactMatch), "Lima", "Cusco", false, 0, "ExactMatch gave 0"],
    [
      "NumericDiff",
      fromScorer(NumericDiff),
      { value: 9 },
      10,
      true,
      expect.closeTo(0.947, 2) as number,
      "NumericDiff gave",
    ],
    ["JSONDiff", fromScorer(JSONDiff), { a: 1 }, { a: 1 }, true, 1, "JSONDiff gave 1"],
  ])("%s", async (_, checker, result, expected, correct, given, reason) => {
    expect(await check(checker, result, expected)).toMatchObject({
      correct,
      score: given,
      reason: expect.stringContaining(reason),
    });
  });

  test("and of anybody else, with what they ask for", async () => {
    const seen: unknown[] = [];
    const scorer = (args: { input: unknown; output: unknown; expected?: unknown; strict: boolean }) => {
      seen.push(args);
      return { name: "Own", score: 0.5, metadata: { rationale: "half of it" } };
    };
    const checker = fromScorer(scorer, { args: { strict: true } });
    expect(await check(checker, { value: "a" }, null)).toEqual({
      correct: true,
      score: 0.5,
      reason: "Own gave 0.5; correct from 0.5: half of it",
    });
    expect(seen).toEqual([{ input: "What is the capital of Peru?", output: "a", strict: true }]);
  });

  test("a bare number is a score, and none is no verdict", async () => {
    expect(await check(fromScorer(() => 0.2))).toMatchObject({ correct: false, score: 0.2 });
    expect(await check(fromScorer(async () => ({ score: null })))).toMatchObject({
      correct: null,
      score: null,
    });
  });

  test("a scorer that failed is a failed check, not a wrong answer", async () => {
    const failing = fromScorer(() => ({ name: "Judge", score: 0, error: new Error("no key") }));
    await expect(check(failing)).rejects.toThrow("Judge failed: no key");
    await expect(check(fromScorer(() => Number.NaN))).rejects.toThrow(
      "gave the score NaN; expected a number",
    );
  });
});
