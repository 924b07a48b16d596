import { expect, test } from "vitest";
import { listedFailure, listedRun, runLine, runLineLayout } from "../../../src/cli/pages/runs.ts";
import { drawLine, type Line } from "../../../src/cli/text/screen.ts";
import { ModelKey } from "../../../src/domain/model.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import { aLogEntry, aRunId } from "../../fixtures/records/a-log-entry.ts";

const MODELS = ["scripted/steady", "scripted/the-other"].map((key) => ModelKey.parse(key));
const ID = aRunId(0).slice(0, 8);
const failed = aLogEntry({
  result: null,
  correct: null,
  failure: failure("no_answer", "the model never came to an end\nnot even here"),
});

const draw = (lines: readonly Line[], columns: number) =>
  lines.map((line) => drawLine(line, { columns, hasColor: false }));

test("models stand in one column", () => {
  const layout = runLineLayout(MODELS, 100);
  const lines = [runLine(aLogEntry(), layout), runLine(aLogEntry({ model: "the-other", trial: 2 }), layout)];
  expect(draw(lines, 100)).toEqual([
    '✓ scripted/steady     Capital of France?  {"value":"Paris"}',
    '✓ scripted/the-other  Capital of France? (trial 2)  {"value":"Paris"}',
  ]);
});

test("a long problem leaves half of the line to the answer", () => {
  const line = runLine(aLogEntry({ problem: "word ".repeat(50) }), runLineLayout(MODELS, 80));
  expect(draw([line], 80)).toEqual([`✓ scripted/steady     ${"word ".repeat(6)}…  {"value":"Paris"}`]);
});

const wrong = aLogEntry({ result: "Lyon", correct: false, expected: "Paris" });

test.each([
  ["what was expected, where the checker gave no reason", wrong, "Lyon (expected Paris)"],
  [
    "the checker's reason",
    { ...wrong, reason: "is 7, expected 8 ± 0.1\nmore" },
    "Lyon (is 7, expected 8 ± 0.1)",
  ],
  ["why the checker cannot say", { ...wrong, correct: null, reason: "no number" }, "Lyon (no number)"],
  ["nothing more of a right answer", { ...wrong, correct: true, reason: "is Lyon" }, "Lyon"],
])("a run's line tells %s", (_what, entry, told) => {
  const [line = ""] = draw(listedRun(entry, runLineLayout(MODELS, 100)), 100);
  expect(line.split("Capital of France?  ")[1]).toBe(told);
});

test("a reason that finds no room on a terminal has a line of its own", () => {
  const entry = { ...wrong, result: "word ".repeat(12), reason: "is 7, expected 8" };
  expect(draw(listedRun(entry, runLineLayout(MODELS, 60)), 60)).toEqual([
    expect.stringMatching(/^\w{8} {2}✗ scripted\/steady .* word wo…$/),
    "            is 7, expected 8",
  ]);
});

test("on a terminal the reason of a failure is wrapped, not cut", () => {
  expect(draw(listedFailure(failed, runLineLayout(MODELS, 50)), 50)).toEqual([
    `${ID}  ! scripted/steady     Capital of France?`,
    "            no_answer: the model never came to an",
    "            end",
  ]);
});

test("in a pipe a failure has one line", () => {
  const layout = runLineLayout(MODELS, Number.POSITIVE_INFINITY);
  expect(draw(listedFailure(failed, layout), Number.POSITIVE_INFINITY)).toEqual([
    `${ID}  ! scripted/steady     Capital of France?  no_answer: the model never came to an end`,
  ]);
});
