import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeLines, escapeText } from "../../../src/cli/text/screen.ts";

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
