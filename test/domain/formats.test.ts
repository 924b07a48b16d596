import fc from "fast-check";
import { expect, test } from "vitest";
import { shellWord } from "../../src/cli/text/screen.ts";
import {
  firstLine,
  formatCost,
  formatCount,
  formatDuration,
  formatShare,
  formatShortTime,
} from "../../src/domain/format.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1.0k"],
  [12_345, "12.3k"],
  [999_999, "999k"],
  [1_000_000, "1.0M"],
  [2_500_000_000, "2.5B"],
])("%i counts as %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  [0, "0ms"],
  [0.42, "420ms"],
  [0.9996, "1.0s"],
  [1.25, "1.3s"],
  [9.96, "10s"],
  [59.4, "59s"],
  [59.6, "1m 00s"],
  [125, "2m 05s"],
  [3_600, "1h 00m"],
  [90_000, "1d 01h"],
])("%f seconds are %s", (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test.each([
  [null, 0, "unknown"],
  [null, 3, "unknown"],
  [0, 0, "$0"],
  [0.0031, 0, "$0.0031"],
  [0.000_12, 2, "≥$0.00012"],
  [0.000_000_01, 0, "<$0.000001"],
  [0.123, 0, "$0.12"],
  [12.3, 0, "$12.30"],
  [12_345.6, 0, "$12,346"],
])("a cost of %f with %i unknown is %s", (cost, unknown, text) => {
  expect(formatCost(cost, unknown)).toBe(text);
});

test("what cost something is never shown as $0", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), (usd) => {
      expect(formatCost(usd)).toMatch(/[1-9]/);
    }),
  );
});

test.each([
  [null, "–"],
  [0, "0%"],
  [1, "100%"],
  [0.8667, "86.7%"],
  [0.9999, "99.9%"],
  [0.000_1, "0.1%"],
])("a share of %f is %s", (share, text) => {
  expect(formatShare(share)).toBe(text);
});

test("the first line that says something", () => {
  expect(firstLine("\n  TypeError: x \r\n at y")).toBe("TypeError: x");
});

test("a word is quoted only when a shell would split it", () => {
  expect(shellWord("evals/a.eval.ts")).toBe("evals/a.eval.ts");
  expect(shellWord("it's mine")).toBe("'it'\\''s mine'");
});

test("a time of today has its hour, an older one its day", () => {
  const now = new Date(2026, 10, 18, 23, 59);
  expect(formatShortTime(new Date(2026, 10, 18, 8, 4).toISOString(), now)).toBe("today 08:04");
  expect(formatShortTime(new Date(2026, 10, 17, 23, 59).toISOString(), now)).toBe("2026-11-17");
});
