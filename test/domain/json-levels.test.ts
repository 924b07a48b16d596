import fc from "fast-check";
import { expect, test } from "vitest";
import { LevelCounter, levelsOf } from "../../src/domain/json.ts";
import { nestedFields, nestedJson } from "../fixtures/records/nested-json.ts";

/** The levels of a value that was parsed. */
const levelsIn = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsIn)) : 0;

test("a text has as many levels as its value", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(levelsOf(text)).toBe(levelsIn(JSON.parse(text)));
    }),
  );
});

test("it does not matter in which pieces the text comes", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 1, max: 7 }), (text, size) => {
      const bytes = Buffer.from(text);
      const counter = new LevelCounter();
      for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
      expect(counter.deepest).toBe(levelsOf(text));
    }),
  );
});

test.each([1, 128, 1_000_000])("%i levels are counted", (levels) => {
  expect([levelsOf(nestedJson(levels)), levelsOf(nestedFields(levels))]).toEqual([levels, levels]);
});
