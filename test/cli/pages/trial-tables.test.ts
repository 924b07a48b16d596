import { expect, test } from "vitest";
import { flakyLines, modelTable, ownColumnsOf, sliceTable } from "../../../src/cli/pages/stats-table.ts";
import { drawLine, type Line } from "../../../src/cli/text/screen.ts";
import { layTable } from "../../../src/cli/text/table.ts";
import { ProblemId } from "../../../src/domain/ids.ts";
import { entryModelKey } from "../../../src/domain/run/log-entry.ts";
import { StatsFold } from "../../../src/domain/stats/stats.ts";
import { Outcomes } from "../../../src/statistics/outcomes.ts";
import { evaluationReport } from "../../../src/statistics/report.ts";
import { aLogEntry } from "../../fixtures/records/a-log-entry.ts";

const plain = (lines: readonly Line[]) =>
  lines.map((line) => drawLine(line, { columns: 100, hasColor: false }));

/** An evaluation of problems by id with the verdicts of their trials: + correct, - wrong. */
function shown(problems: Readonly<Record<string, string>>, tags: readonly string[] = []) {
  const outcomes = new Outcomes();
  const stats = new StatsFold([entryModelKey(aLogEntry())], 0);
  for (const [id, trials] of Object.entries(problems)) {
    for (const [at, verdict] of [...trials].entries()) {
      const correct = verdict === "+";
      const entry = aLogEntry({ problemId: ProblemId.parse(id), trial: at + 1, correct, tags: [...tags] });
      outcomes.addEntry(entry);
      stats.add(entry);
    }
  }
  return { stats: stats.stats(), report: evaluationReport(outcomes) };
}

type Shown = ReturnType<typeof shown>;
const passTable = (of: Shown) => layTable(modelTable(ownColumnsOf(of), of), 80);
const slices = ({ report }: Shown) => layTable(sliceTable(report), 80);

test("trials give pass@k and pass^k for two and for all of them", () => {
  expect(plain(passTable(shown({ a: "++-", b: "+++" })))).toEqual([
    "model                 pass@2       pass^2       pass@3      pass^3",
    "scripted/steady  100% 34–100  66.7% 1–100  100% 34–100  50.0% 9–91",
  ]);
  expect(plain(passTable(shown({ a: "+-" })))[0]).toMatch(/^model +pass@2 +pass\^2$/);
});

test("one trial has neither passes nor flaky problems, and no tags no slices", () => {
  const once = shown({ a: "+", b: "-" });
  expect([passTable(once), flakyLines(once.report, 80), slices(once)]).toEqual([[], [], []]);
});

test("flaky problems are listed with how often they are correct, and counted when they are many", () => {
  expect(plain(flakyLines(shown({ b: "+-+", a: "-+", c: "++" }).report, 80))).toEqual([
    "Flaky  neither always correct nor always wrong",
    "scripted/steady  2 problems: a 1/2, b 2/3",
  ]);
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`p${at}`, "+-"]));
  expect(plain(flakyLines(shown(many).report, 200))[1]).toMatch(/^scripted\/steady {2}12 problems: .*…/);
});

test("tags cut the accuracy into slices", () => {
  expect(plain(slices(shown({ a: "+", b: "-" }, ["easy"])))).toEqual([
    "model            tag   problems    accuracy",
    "scripted/steady  easy         2  50.0% 9–91",
  ]);
});
