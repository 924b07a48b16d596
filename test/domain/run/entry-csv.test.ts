import * as fc from "fast-check";
import { expect, test } from "vitest";
import { csvHeader, csvRow } from "../../../src/domain/run/entry-csv.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import { aLogEntry } from "../../fixtures/records/a-log-entry.ts";

/** Reads one line as a spreadsheet does. */
function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(?:,|\r\n$)/g);
  return [...cells].map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain);
}

function cell(title: string, entry: Parameters<typeof aLogEntry>[0]): string | undefined {
  return cellsOf(csvRow(aLogEntry(entry)))[cellsOf(csvHeader()).indexOf(title)];
}

test("a row has a cell for every title", () => {
  expect(cellsOf(csvRow(aLogEntry()))).toHaveLength(cellsOf(csvHeader()).length);
  expect(cell("model", {})).toBe("scripted/steady");
  expect(cell("correct", {})).toBe("true");
  expect(cell("cause", { failure: failure("timeout", "late"), correct: null })).toBe("timeout");
  expect(cell("result", { result: { value: 'say "hi", please' } })).toBe('{"value":"say \\"hi\\", please"}');
  expect(cell("score", { score: -0.5 })).toBe("-0.5");
  expect(cell("reason", { reason: null })).toBe("");
});

test.each([
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\n=1",
  "\tplain",
  "\nplain",
  " =1",
  "  \t +1",
  "\u00a0@SUM(A1)",
  "\u3000=1",
  "\ufeff=1",
  "\u200b=1",
  "＝1+1",
  "＋1",
  "－1",
  "＠SUM(A1)",
  " ＝1",
  '=HYPERLINK("http://x")',
])("%j is no formula in a spreadsheet", (text) => {
  expect(cell("reason", { reason: text })).toBe(`'${text}`);
  expect(cell("expected", { expected: text })).toBe(`'${text}`);
});

test.each(["plain", " plain", "1=1", "a@b", "x-y", "'quoted"])("%j stays as it is", (text) => {
  expect(cell("reason", { reason: text })).toBe(text);
});

test("whatever a text holds, it stays in its cell", () => {
  const texts = fc.string({ unit: fc.constantFrom(",", '"', "\n", "\r", "=", "a", "'", " ") });
  fc.assert(
    fc.property(texts, (reason) => {
      const found = cell("reason", { reason });
      expect([reason, `'${reason}`]).toContain(found);
      expect(cell("result", { reason, result: 1 })).toBe("1");
    }),
  );
});
