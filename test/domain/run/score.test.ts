import { expect, test } from "vitest";
import { isScore } from "../../../src/domain/run/amounts.ts";

test.each([0, 1, 0.5, -1, 1e6, -1e6, 1e-9])("%d is a score", (value) => {
  expect(isScore(value)).toBe(true);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, -Infinity, 1e6 + 1, 1e302, "1", null, undefined, 1n, true])(
  "%s is no score",
  (value) => {
    expect(isScore(value)).toBe(false);
  },
);
