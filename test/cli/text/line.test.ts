import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { drawLine, type Line, type Style } from "../../../src/cli/text/screen.ts";
import { textWidth } from "../../../src/cli/text/width.ts";

const styles: readonly (Style | undefined)[] = ["green", "red", "yellow", "cyan", "dim", "bold", undefined];
const anyLine: fc.Arbitrary<Line> = fc.array(
  fc.tuple(fc.string({ unit: "binary" }), fc.constantFrom(...styles)),
);

test("a drawn line is never wider than the terminal", () => {
  fc.assert(
    fc.property(anyLine, fc.integer({ min: 1, max: 100 }), fc.boolean(), (line, columns, hasColor) => {
      const drawn = stripVTControlCharacters(drawLine(line, { columns, hasColor }));
      expect(textWidth(drawn)).toBeLessThanOrEqual(columns);
    }),
  );
});

test("without colour a line has no control character at all", () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      expect(drawLine(line, { columns: 80, hasColor: false })).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test("a cut between two pieces is marked", () => {
  const line: Line = [["abc"], ["def", "red"]];
  expect(drawLine(line, { columns: 3, hasColor: false })).toBe("ab…");
  expect(drawLine(line, { columns: 4, hasColor: false })).toBe("abc…");
  expect(drawLine(line, { columns: 6, hasColor: false })).toBe("abcdef");
});

test("colour is put around the text", () => {
  expect(drawLine([["ok", "green"]], { columns: 9, hasColor: true })).toBe("\x1b[32mok\x1b[39m");
});
