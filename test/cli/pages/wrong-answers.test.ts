import { expect, test } from "vitest";
import { listedRun, runLineLayout } from "../../../src/cli/pages/runs.ts";
import { WrongAnswers, wrongAnswerLines } from "../../../src/cli/pages/wrong-answers.ts";
import { drawLine, type Line } from "../../../src/cli/text/screen.ts";
import { ProblemId } from "../../../src/domain/ids.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { emptyTally, toModelStats } from "../../../src/domain/stats/stats.ts";
import { aLogEntry } from "../../fixtures/records/a-log-entry.ts";

const plain = (lines: readonly Line[], columns: number) =>
  lines.map((line) => drawLine(line, { columns, hasColor: false }));
const wrong = (index: number, changes: Partial<LogEntry> = {}) =>
  aLogEntry({ index, problemId: ProblemId.parse(`p${index}`), correct: false, result: "Rome", ...changes });

function wrongOf(entries: readonly LogEntry[]): WrongAnswers {
  const answers = new WrongAnswers();
  for (const entry of entries) answers.add(entry);
  return answers;
}

const draw = (answers: WrongAnswers, columns: number) => plain(wrongAnswerLines(answers, columns), columns);
const ID = wrong(0).runId.slice(0, 8);

test("a wrong answer is shown with its problem, the expected value and the reason", () => {
  const answers = wrongOf([wrong(0, { reason: "not a city of France" }), aLogEntry({ index: 1 })]);
  expect(draw(answers, Number.POSITIVE_INFINITY)).toEqual([
    "Wrong answers",
    `✗ ${ID}  scripted/steady  Capital of France?  expected Paris, answered Rome, because: not a city of France`,
  ]);
});

test("on a narrow terminal each part has lines of its own, and nothing is cut", () => {
  const long = `${"a long problem ".repeat(6)}end`;
  const lines = draw(wrongOf([wrong(0, { problem: long, model: "a-very-long-model-name-2026@terse" })]), 40);
  expect(lines[1]?.trimEnd()).toBe(`✗ ${ID}  …del-name-2026@terse`);
  expect(lines.slice(2, -2).join(" ").replaceAll(/\s+/g, " ").trim()).toBe(long);
  expect(lines.slice(-2)).toEqual(["    expected Paris", "    answered Rome"]);
});

test("the first ten in the order of the plan are kept, however they come, and the others counted", () => {
  const order = [14, 3, 0, 9, 11, 1, 13, 2, 8, 4, 12, 7, 5, 10, 6];
  const answers = wrongOf(order.map((index) => wrong(index, { problem: `problem ${index}` })));
  const lines = draw(answers, 200);
  expect(lines.slice(1, 11).map((line) => /problem (\d+)/.exec(line)?.[1])).toEqual([
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
  ]);
  expect(lines.slice(11)).toEqual(["… 5 more; show --wrong has all of them"]);
});

test("runs that failed, and answers that are undecided, are not wrong answers", () => {
  const failed = wrong(0, { correct: null, failure: failure("timeout", "slow") });
  expect(draw(wrongOf([failed, wrong(1, { correct: null })]), 80)).toEqual([]);
});

const stats = [toModelStats({ ...emptyTally(), wrong: 2 }, 2)];

test("where every answer is wrong and nothing was expected, the user is asked about it", () => {
  const none = wrongOf([wrong(0, { expected: null }), wrong(1, { expected: null })]);
  const text = none.doubtLines(stats, Number.POSITIVE_INFINITY).flat().join("");
  expect(text).toContain("no problem has an expected value. Does the checker compare with one?");
  expect(wrongOf([wrong(0), wrong(1, { expected: null })]).doubtLines(stats, 80)).toEqual([]);
  expect(none.doubtLines([toModelStats({ ...emptyTally(), wrong: 2, correct: 1 }, 3)], 80)).toEqual([]);
});

test("the line of a run has the score and the metrics, and the answer leaves room for them", () => {
  const entry = aLogEntry({ result: "word ".repeat(60), score: 0.5, metrics: { tone: 0.12345, steps: 4 } });
  const [line = ""] = plain(listedRun(entry, runLineLayout([], 100)).slice(0, 1), 100);
  expect(line).toMatch(/… {2}score 0\.5, tone 0\.123, steps 4$/);
});
