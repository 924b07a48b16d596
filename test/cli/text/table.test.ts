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
    "a-very-long-model-name",
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

const name = "openai/gpt-5-mini-2026-05-01@terse";
const wide = [
  { title: "model", isModel: true as const },
  { title: "accuracy" },
  ...["cost", "p50"].map((title) => ({ title, mayDrop: true as const })),
];
const wideRows = [
  [name, "60.0% 13–94", "$0.0021", "455ms"],
  ["openai/other", "100%", "$1", "1s"],
] as const;

test.each([
  [
    63,
    ["model                               accuracy     cost     p50", `${name}  60.0% 13–94  $0.0021  455ms`],
  ],
  [
    56,
    [
      "model                        accuracy     cost     p50",
      "gpt-5-mini-2026-05-01@terse  60.0% 13–94  $0.0021  455ms",
    ],
  ],
  [
    50,
    [
      "model                        accuracy     cost   ",
      "gpt-5-mini-2026-05-01@terse  60.0% 13–94  $0.0021",
    ],
  ],
  [35, ["  accuracy     cost     p50", name, "  60.0% 13–94  $0.0021  455ms"]],
  [24, ["  accuracy     cost   ", "…5-mini-2026-05-01@terse"]],
])("in %i columns names lose their provider, then columns go from the right", (width, lines) => {
  const laid = plain(layTable({ columns: wide, rows: wideRows }, width));
  expect(laid.slice(0, lines.length)).toEqual(lines.map((line) => line.trimEnd()));
  for (const line of laid) expect(line.length).toBeLessThanOrEqual(width);
});

test("columns that are left out are named", () => {
  expect(plain(layTable({ columns: wide, rows: wideRows }, 42)).at(-1)).toBe("no room for: cost, p50");
});

test("two names that differ only in their provider keep it", () => {
  const rows = [
    ["openai/gpt-5-mini", "100%", "$1", "1s"],
    ["azure/gpt-5-mini", "100%", "$1", "1s"],
  ] as const;
  expect(plain(layTable({ columns: wide, rows }, 30)).join("\n")).toContain("openai/gpt-5-mini");
});

test("a last column that may wrap goes on below itself", () => {
  const wrapping = [{ title: "p" }, { title: "verdict", mayWrap: true as const }];
  const rows = [["0.21", "not distinguishable: 34 points would show"]] as const;
  expect(plain(layTable({ columns: wrapping, rows }, 32))).toEqual([
    "p     verdict",
    "0.21  not distinguishable: 34",
    "      points would show",
  ]);
});
