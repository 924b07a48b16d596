import { expect, test } from "vitest";
import { flakyLines, passTable, sliceTable } from "../../../src/cli/pages/stats-table.ts";
import { drawLine, type Line } from "../../../src/cli/text/screen.ts";
import { ProblemId } from "../../../src/domain/ids.ts";
import { Outcomes } from "../../../src/statistics/outcomes.ts";
import { evaluationReport } from "../../../src/statistics/report.ts";
import { aLogEntry } from "../../fixtures/records/a-log-entry.ts";

const plain = (lines: readonly Line[]) =>
  lines.map((line) => drawLine(line, { columns: 100, hasColor: false }));

/** A report of problems by id with the verdicts of their trials: + correct, - wrong. */
function reportOf(problems: Readonly<Record<string, string>>, tags: readonly string[] = []) {
  const outcomes = new Outcomes();
  for (const [id, trials] of Object.entries(problems)) {
    for (const [at, verdict] of [...trials].entries()) {
      const correct = verdict === "+";
      outcomes.addEntry(
        aLogEntry({ problemId: ProblemId.parse(id), trial: at + 1, correct, tags: [...tags] }),
      );
    }
  }
  return evaluationReport(outcomes);
}

test("trials give pass@k and pass^k for two and for all of them", () => {
  expect(plain(passTable(reportOf({ a: "++-", b: "+++" }), 80))).toEqual([
    "model            pass@2  pass^2  pass@3  pass^3",
    "scripted/steady    100%   66.7%    100%   50.0%",
  ]);
  expect(plain(passTable(reportOf({ a: "+-" }), 80))[0]).toBe("model            pass@2  pass^2");
});

test("one trial has neither passes nor flaky problems, and no tags no slices", () => {
  const report = reportOf({ a: "+", b: "-" });
  expect([passTable(report, 80), flakyLines(report, 80), sliceTable(report, 80)]).toEqual([[], [], []]);
});

test("flaky problems are listed with how often they are correct, and counted when they are many", () => {
  expect(plain(flakyLines(reportOf({ b: "+-+", a: "-+", c: "++" }), 80))).toEqual([
    "Flaky  neither always correct nor always wrong",
    "scripted/steady  2 problems: a 1/2, b 2/3",
  ]);
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`p${at}`, "+-"]));
  expect(plain(flakyLines(reportOf(many), 200))[1]).toMatch(/^scripted\/steady {2}12 problems: .*…/);
});

test("tags cut the accuracy into slices", () => {
  expect(plain(sliceTable(reportOf({ a: "+", b: "-" }, ["easy"]), 80))).toEqual([
    "model            tag   problems    accuracy",
    "scripted/steady  easy         2  50.0% 9–91",
  ]);
});
