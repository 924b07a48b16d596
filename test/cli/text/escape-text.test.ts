import fc from "fast-check";
import { expect, test } from "vitest";
import { drawLine, escapeLines, escapeText, jsonLine, type Line } from "../../../src/cli/text/screen.ts";

test.each([
  ["\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"],
  ["bell\x07", "bell\\x07"],
  ["over\rwrite", "over\\rwrite"],
  ["one\ntwo", "one\\ntwo"],
  ["a\tb", "a  b"],
  ["\u009b2J", "\\x9b2J"],
  ["\u202eevil", "\\u202eevil"],
  ["\u{e0001}", "\\u{e0001}"],
  ["\ud800", "\\ud800"],
  ["日本 👩‍🚀 naïve", "日本 👩‍🚀 naïve"],
  ["so ##[add-mask]a", "so \\x23#[add-mask]a"],
  ["#\u200d#vso[task.setvariable]", "\\x23\u200d#vso[task.setvariable]"],
  ["## [title] and C::D", "## [title] and C::D"],
])("%j becomes harmless", (text, safe) => {
  expect(escapeText(text)).toBe(safe);
});

test("no escaped text can move, ring or reorder a terminal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(escapeText(text)).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

test("escaping twice changes nothing more", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(escapeText(escapeText(text))).toBe(escapeText(text));
    }),
  );
});

test("lines stay lines", () => {
  expect(escapeLines("a\r\nb\nc\x1b")).toEqual(["a", "b", "c\\x1b"]);
});

test.each<[line: Line, drawn: string]>([
  [[["::error::no"]], "\\x3a:error::no"],
  [[["  "], [" ", "dim"], ["::add-mask title=x::e", "dim"]], "   \\x3a:add-mask title=x::e"],
  [[["\u200d:\u200c:error::no"]], "\u200d\\x3a\u200c:error::no"],
  [[["reply "], ["::error::no"]], "reply ::error::no"],
  [[["::std and more"]], "::std and more"],
])("%j is no command of a build server", (line, drawn) => {
  expect(drawLine(line, { columns: 80, hasColor: false })).toBe(drawn);
});

const signs = fc.constantFrom(
  "#",
  "[",
  "]",
  ":",
  "a",
  "\u200d",
  " ",
  "\u009b",
  "\u202e",
  "\u{e0001}",
  "\\",
  '"',
  "\n",
);

test("a value as JSON is the same value, and does nothing to a terminal or a log", () => {
  const value = fc.jsonValue({ stringUnit: fc.oneof(signs, fc.string({ unit: "binary", maxLength: 1 })) });
  fc.assert(
    fc.property(value, (given) => {
      const line = jsonLine(given);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(given)));
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]|##[a-z]*\[|\n/u);
    }),
  );
});
