import { describe, expect, test } from "vitest";
import { ProblemId } from "../../src/domain/ids.ts";
import { filterRows, type GridRow, gridRows, pairRows, readRunFilter } from "../../src/web/data/grid.ts";

const shape = { models: ["a/x", "b/y"], trials: 2 };
const row = (id: string, verdicts: string, more: Partial<GridRow> = {}): GridRow => ({
  ...{ id, verdicts, text: `What about ${id}?`, tags: [], place: 0 },
  ...more,
});
const rows = [
  row("all-right", "++++"),
  row("flaky", "+-++", { tags: ["hard"] }),
  row("timed-out", "tt--"),
  row("open", "...?"),
];

describe("a filter", () => {
  test.each([
    [{}, ["all-right", "flaky", "timed-out", "open"]],
    [{ outcome: "right" }, ["all-right", "flaky"]],
    [{ outcome: "wrong" }, ["flaky", "timed-out"]],
    [{ outcome: "wrong", model: "a/x" }, ["flaky"]],
    [{ outcome: "failed" }, ["timed-out"]],
    [{ outcome: "failed", model: "b/y" }, []],
    [{ cause: "timeout" }, ["timed-out"]],
    [{ cause: "crashed" }, []],
    [{ outcome: "open" }, ["open"]],
    [{ outcome: "differs" }, ["flaky"]],
    [{ outcome: "flaky" }, ["flaky"]],
    [{ tag: "hard" }, ["flaky"]],
    [{ text: "ABOUT open" }, ["open"]],
    [{ text: "timed" }, ["timed-out"]],
    [{ model: "gone/model" }, ["all-right", "flaky", "timed-out", "open"]],
  ])("%o shows %o", (search, ids) => {
    expect(filterRows(rows, shape, readRunFilter(search)).map(({ id }) => id)).toEqual(ids);
  });

  test("takes only what it knows from an address", () => {
    expect(readRunFilter({ outcome: "great", model: 7, text: "", tag: "t", __proto__: null })).toEqual({
      tag: "t",
    });
  });
});

test("a grid has a row per problem, also where verdicts have not arrived", () => {
  const problems = ["p", "q", "r"].map((id) => ({ id: ProblemId.parse(id), tags: [], text: "" }));
  const read = gridRows(problems, ["++", "--", "?"], 2);
  expect(read.map(({ id, place, verdicts }) => [id, place, verdicts])).toEqual([
    ["p", 0, "++"],
    ["q", 1, "--"],
    ["r", 2, "?."],
  ]);
});

describe("two sides", () => {
  const left = [row("same", "+-", { place: 0 }), row("lost", "-+", { place: 1 }), row("alone", "++")];
  const right = [row("lost", "+", { place: 4 }), row("same", "+", { place: 2 })];
  const pairs = pairRows(
    { rows: left, shape: { models: ["a/x", "b/y"], trials: 1 }, model: "a/x" },
    { rows: right, shape: { models: ["c/z"], trials: 1 }, model: "c/z" },
  );

  test("are paired on the problems both have, differences first", () => {
    expect(pairs.map(({ id, lead }) => [id, lead])).toEqual([
      ["lost", -1],
      ["same", 0],
    ]);
  });

  test("know the numbers of their runs", () => {
    expect(pairs.map(({ numberA, numberB }) => [numberA, numberB])).toEqual([
      [2, 4],
      [0, 2],
    ]);
  });
});
