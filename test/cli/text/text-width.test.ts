import fc from "fast-check";
import { expect, test } from "vitest";
import {
  cutToWidth,
  padEnd,
  padStart,
  shortenName,
  textWidth,
  wrapText,
} from "../../../src/cli/text/width.ts";

const anyText = fc.string({ unit: "grapheme" });
const anyColumns = fc.integer({ min: 0, max: 60 });

test.each([
  ["plain", 5],
  ["日本語", 6],
  ["ｆｕｌｌ", 8],
  ["한국", 4],
  ["e\u0301", 1],
  ["🚀", 2],
  ["✓ ✗", 3],
])("%s is %i columns wide", (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test("a cut text is never wider than asked", () => {
  fc.assert(
    fc.property(anyText, anyColumns, (text, columns) => {
      expect(textWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns);
      expect(textWidth(shortenName(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

test("a text that fits is left as it is", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(cutToWidth(text, textWidth(text))).toBe(text);
      expect(shortenName(text, textWidth(text))).toBe(text);
    }),
  );
});

test("a padded text is as wide as asked", () => {
  fc.assert(
    fc.property(anyText, anyColumns, (text, columns) => {
      const width = Math.max(columns, textWidth(text));
      expect(textWidth(padEnd(text, columns))).toBe(width);
      expect(textWidth(padStart(text, columns))).toBe(width);
    }),
  );
});

test("wrapping loses nothing but blanks and keeps the width", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, columns) => {
      const pieces = wrapText(text, columns);
      expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
      for (const piece of pieces) expect(textWidth(piece)).toBeLessThanOrEqual(columns);
    }),
  );
});

test("a text is wrapped between words, and a word that is too long is cut", () => {
  expect(wrapText("the limit of model calls is reached", 12)).toEqual([
    "the limit of",
    "model calls",
    "is reached",
  ]);
  expect(wrapText("see /a/path/that/is/long", 10)).toEqual(["see /a/pat", "h/that/is/", "long"]);
  expect(wrapText("    indented code", 14)).toEqual(["    indented", "code"]);
});

test.each([
  [40, "huggingface:together/org/Llama-3@terse", "huggingface:together/org/Llama-3@terse"],
  [25, "huggingface:together/org/Llama-3@terse", "org/Llama-3@terse"],
  [14, "huggingface:together/org/Llama-3@terse", "Llama-3@terse"],
  [10, "huggingface:together/org/Llama-3@terse", "…a-3@terse"],
  [8, "odd/", "odd/"],
])("in %i columns a model's name loses its provider first and never its end", (columns, name, short) => {
  expect(shortenName(name, columns)).toBe(short);
});
