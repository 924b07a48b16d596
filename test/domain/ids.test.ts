import fc from "fast-check";
import { expect, test } from "vitest";
import { EvaluationId, makeEvaluationId } from "../../src/domain/ids.ts";

const NOW = Date.UTC(2026, 0, 2);

test.each([
  ["capitals", /^capitals-[0-9a-z]{12}$/],
  ["Capitals of Europe!", /^capitals-of-europe-[0-9a-z]{12}$/],
  ["  -- ", /^evaluation-[0-9a-z]{12}$/],
  ["日本", /^evaluation-[0-9a-z]{12}$/],
  ["x".repeat(100), /^x{40}-[0-9a-z]{12}$/],
])("the name %j gives an id that can be typed", (name, form) => {
  expect(makeEvaluationId(name, NOW, () => 0.5)).toMatch(form);
});

test("any name, time and chance give a valid id", () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.string(), fc.nat({ max: 4e12 }), chance, (name, now, random) => {
      expect(EvaluationId.safeParse(makeEvaluationId(name, now, () => random)).success).toBe(true);
    }),
  );
});

test("ids of one name sort by time", () => {
  const times = fc.integer({ min: NOW, max: NOW + 10 * 365 * 86_400_000 });
  fc.assert(
    fc.property(times, times, fc.double({ min: 0, max: 0.999, noNaN: true }), (a, b, random) => {
      const [first, second] = [a, b].map((now) => makeEvaluationId("n", now, () => random));
      expect(String(first) < String(second)).toBe(a < b);
    }),
  );
});

test("two evaluations of the same millisecond have different ids by chance", () => {
  expect(makeEvaluationId("n", NOW, () => 0.1)).not.toBe(makeEvaluationId("n", NOW, () => 0.2));
});
