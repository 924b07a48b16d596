import { expect, test } from "vitest";
import { drawLine, type Line } from "../../../src/cli/text/screen.ts";
import { layTable } from "../../../src/cli/text/table.ts";

const columns = [{ title: "model" }, { title: "accuracy", align: "right" as const }, { title: "note" }];
const plain = (lines: readonly Line[]) =>
  lines.map((line) => drawLine(line, { columns: 200, hasColor: false }));

test("columns are as wide as their widest cell, wide characters included", () => {
  const rows = [
    ["模型/一", "100%", "good"],
    ["a/b", "8.3%", ""],
  ] as const;
  expect(plain(layTable({ columns, rows }, 80))).toEqual([
    "model    accuracy  note",
    "模型/一      100%  good",
    "a/b          8.3%  ",
  ]);
});

test("when it is too wide, names move to lines of their own", () => {
  const rows = [["provider/a-very-long-model-name", "100%", "good"]] as const;
  expect(plain(layTable({ columns, rows }, 30))).toEqual([
    "  accuracy  note",
    "provider/a-very-long-model-name",
    "      100%  good",
  ]);
});

test("a hostile cell is as wide as it is drawn", () => {
  const rows = [["\x1b[2J", "1%", ""]] as const;
  expect(plain(layTable({ columns, rows }, 80))[1]).toBe("\\x1b[2J        1%  ");
});

test("a column that may shrink loses its end before anything moves", () => {
  const rows = [["id-1", "today", "evals/a-rather-long-name.eval.ts"]] as const;
  const shrinking = [{ title: "id" }, { title: "started" }, { title: "file", mayShrink: true as const }];
  expect(plain(layTable({ columns: shrinking, rows }, 32))).toEqual([
    "id    started  file",
    "id-1  today    evals/a-rather-l…",
  ]);
});
