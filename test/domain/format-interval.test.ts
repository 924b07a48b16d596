import { expect, test } from "vitest";
import { formatP, formatPoints } from "../../src/domain/format.ts";
import { formatEstimate, formatInterval } from "../../src/domain/stats/estimate.ts";
import { compareAll, compareModels, comparisonSentence } from "../../src/statistics/compare.ts";
import { outcomesOf } from "../fixtures/statistics/outcomes.ts";

test.each([
  [{ low: 0.566, high: 1 }, "57–100"],
  [{ low: 0, high: 0.1611 }, "0–16"],
  [{ low: 0.982, high: 0.9911 }, "98.2–99.1"],
])("the interval %j is %s", (interval, text) => {
  expect(formatInterval(interval)).toBe(text);
});

test("an estimate is the share, then its interval; none is a dash", () => {
  expect(formatEstimate({ value: 0.2, low: 0.036, high: 0.624 })).toBe("20.0% 4–62");
  expect(formatEstimate(null)).toBe("–");
});

test.each([
  [0.8, "+80.0"],
  [-0.0321, "−3.2"],
  [0, "0.0"],
  [-0.0001, "0.0"],
])("a difference of %d is %s points", (difference, text) => {
  expect(formatPoints(difference)).toBe(text);
});

test.each([
  [1, "1.00"],
  [0.125 - 1e-16, "0.13"],
  [0.0497, "0.050"],
  [0.0123, "0.012"],
  [0.0009, "<0.001"],
])("p of %d is %s", (p, text) => {
  expect(formatP(p)).toBe(text);
});

const [right, wrong] = [{ correct: 1 }, { wrong: 1 }];

test.each([
  [
    outcomesOf([30, right]),
    outcomesOf([10, right], [20, wrong]),
    "A is significantly better than B: +66.7 points (95% CI +43.6 to +81.4, p <0.001, 30 problems).",
  ],
  [
    outcomesOf([10, right], [20, wrong]),
    outcomesOf([30, right]),
    "A is significantly worse than B: −66.7 points (95% CI −81.4 to −43.6, p <0.001, 30 problems).",
  ],
  [
    outcomesOf([9, right], [1, wrong]),
    outcomesOf([9, right], [1, wrong]),
    "No significant difference between A and B: 0.0 points (95% CI −23.1 to +23.1, p = 1.00). With 10 problems, differences of about 69 points or more can be detected reliably.",
  ],
  [
    outcomesOf([4, right], [1, right]),
    outcomesOf([4, wrong], [1, right]),
    "No significant difference between A and B: +80.0 points (95% CI −16.7 to +99.5, p = 0.13). With 5 problems no difference can be significant; if it really is +80.0, it takes about 9.",
  ],
  [outcomesOf([9, right]), new Map(), "A and B have no problem in common."],
])("what a comparison says: %#", (first, second, sentence) => {
  expect(comparisonSentence("A", "B", compareModels(first, second))).toBe(sentence);
});

test("while runs are still to come a comparison says what was seen, and nothing of chance", () => {
  const [early] = compareAll([[outcomesOf([30, right]), outcomesOf([30, wrong])]], true);
  expect(early?.pValue).toBeLessThan(0.001);
  expect(early && comparisonSentence("A", "B", early)).toBe(
    "A against B so far: +100.0 points on 30 problems.",
  );
});

test("a comparison on one problem does not speak of problems", () => {
  const one = outcomesOf([1, right]);
  expect(comparisonSentence("A", "B", compareModels(one, one))).toMatch(
    /With 1 problem no difference can be significant\.$/,
  );
});

test("where only the correction for several speaks against a difference, both p-values are told", () => {
  const [good, bad] = [outcomesOf([30, right]), outcomesOf([22, right], [8, wrong])];
  const [among] = compareAll([[good, bad], ...Array.from({ length: 9 }, () => [good, good] as const)]);
  expect(among && comparisonSentence("A", "B", among)).toMatch(
    /: \+26\.7 points \(95% CI \+\S+ to \+\S+, p = 0\.008, corrected 0\.078\)\. With 30 problems, .*; if it really is \+26\.7, it takes about \d+\.$/,
  );
});
