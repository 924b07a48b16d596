import { expect, test } from "vitest";
import { FailureGroups, failureLines } from "../../../src/cli/pages/failures.ts";
import { nextLines } from "../../../src/cli/pages/next-steps.ts";
import { summaryLines } from "../../../src/cli/pages/summary.ts";
import { WrongAnswers } from "../../../src/cli/pages/wrong-answers.ts";
import { drawLine, type Line } from "../../../src/cli/text/screen.ts";
import { ProblemId } from "../../../src/domain/ids.ts";
import { ModelKey } from "../../../src/domain/model.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { StatsFold } from "../../../src/domain/stats/stats.ts";
import { Outcomes } from "../../../src/statistics/outcomes.ts";
import { evaluationReport } from "../../../src/statistics/report.ts";
import { aLogEntry, anEvaluation, aRunId } from "../../fixtures/records/a-log-entry.ts";

const KEY = ModelKey.parse("scripted/steady");
const plain = (lines: readonly Line[]) =>
  lines.map((line) => drawLine(line, { columns: 140, hasColor: false }));
const record = anEvaluation({ status: "finished", endedAt: "2026-01-02T03:04:07.500Z" });

function summarise(entries: readonly LogEntry[], width = 100) {
  const fold = new StatsFold([KEY], entries.length);
  const outcomes = new Outcomes([KEY]);
  const failures = new FailureGroups();
  const wrong = new WrongAnswers();
  for (const entry of entries) {
    fold.add(entry);
    outcomes.addEntry(entry);
    failures.add(entry);
    wrong.add(entry);
  }
  const report = evaluationReport(outcomes);
  const stats = fold.stats();
  const lines = plain(summaryLines({ record, stats, report, failures, wrong }, width));
  return { failures, wrong, stats, lines };
}

const failed = (index: number, message: string) =>
  aLogEntry({
    index,
    problemId: ProblemId.parse(`p${index}`),
    result: null,
    correct: null,
    costUsd: null,
    failure: failure("timeout", message),
  });

test("the summary has the table, honest footnotes and failures by cause", () => {
  const { lines } = summarise([aLogEntry(), failed(1, "too slow\nat once"), failed(2, "slow too")]);
  expect(lines).toEqual([
    "capitals  3 runs finished in 2.5s",
    "",
    "model              accuracy  correct               cost    p50    p95  tokens",
    "scripted/steady  33.3% 6–79  1/3 · 2 failed  ≥$0.000012  250ms  250ms    30/6",
    "",
    "Accuracy: correct / (scored + the model's own failures); 95% interval for problems like these.",
    "With fewer than 20 problems, intervals are approximate.",
    "≥: some runs have no known price and are not in the sum.",
    "These models are scripted: replies come from the evaluation file.",
    "The numbers show how the evaluator works, not how good a model is.",
    "",
    "Failures",
    "! 2 × timeout  blamed on model  scripted/steady",
    "    too slow",
  ]);
});

const lostTo = (index: number) => ({
  ...failed(index, ""),
  failure: failure("provider_error", "connect ECONNREFUSED"),
});
const UNSCORED = [
  "No run could be scored: they failed because of infrastructure errors (provider_error); the numbers say nothing about the models. What to do:",
  "check the name of the model and its key, then run --resume with --retry-failed.",
];

test("a summary in which the infrastructure failed every run says so first", () => {
  const stopped = { ...failed(2, ""), failure: failure("cancelled", "stopped") };
  expect(summarise([lostTo(0), lostTo(1)], 140).lines.slice(1, 4)).toEqual(["", ...UNSCORED]);
  expect(summarise([lostTo(0), stopped], 140).lines).toEqual(expect.arrayContaining(UNSCORED));
});

test.each([
  ["an answer", aLogEntry()],
  ["a failure of the model's own", failed(0, "too slow")],
])("a summary with %s among lost runs has numbers that say something", (_what, entry) => {
  expect(summarise([entry, lostTo(1)]).lines.join("\n")).not.toContain("No run could be scored");
});

test("a model that never ran has dashes, not zeros", () => {
  expect(summarise([]).lines[3]).toBe("scripted/steady         –  0/0         –    –    –     0/0");
});

test("a long reason is cut where the line ends", () => {
  const { lines } = summarise([failed(1, "word ".repeat(40))], 60);
  expect(lines.at(-1)).toBe(`    ${"word ".repeat(11)}…`);
});

test("what the user's own code failed with is shown whole, and once for many models", () => {
  const groups = new FailureGroups();
  const message = `a run may not start ls; ${"add `permissions: { spawn: true }` ".repeat(3)}\u0007`;
  const entry = { ...failed(1, "x"), failure: failure("agent_error", message) };
  for (const model of ["a", "b"]) groups.add({ ...entry, model });
  expect(plain(failureLines(groups.groups(), 60))).toEqual([
    "Failures",
    "! 1 × agent_error  blamed on code  scripted/a",
    "    a run may not start ls; add `permissions: { spawn: true",
    "    }` add `permissions: { spawn: true }` add `permissions:",
    "    { spawn: true }` \\x07",
    "! 1 × agent_error  blamed on code  scripted/b",
  ]);
  groups.add({ ...entry, model: "0", failure: failure("agent_error", "word ".repeat(200)) });
  const lines = plain(failureLines(groups.groups(), 60));
  expect(lines).toHaveLength(13);
  expect(lines[7]).toMatch(/…$/);
});

test("each model has its own failures, with its own example; a log has them on one line", () => {
  const groups = new FailureGroups();
  const other = { providerKey: "openai", model: "gpt-5-mini" };
  for (const entry of [lostTo(0), { ...lostTo(1), ...other }, lostTo(2)]) groups.add(entry);
  groups.add({ ...failed(3, "too slow"), ...other });
  expect(plain(failureLines(groups.groups(), 80))).toEqual([
    "Failures",
    "! 2 × provider_error  blamed on infrastructure  scripted/steady",
    "    connect ECONNREFUSED",
    "! 1 × provider_error  blamed on infrastructure  openai/gpt-5-mini",
    "    connect ECONNREFUSED",
    "! 1 × timeout         blamed on model           openai/gpt-5-mini",
    "    too slow",
  ]);
  const [, first, second] = plain(failureLines(groups.groups(), Number.POSITIVE_INFINITY, 1));
  expect([first, second]).toEqual([
    "! 2 × provider_error  blamed on infrastructure  scripted/steady  connect ECONNREFUSED",
    "… 2 groups more; show has all of them",
  ]);
});

test("runs that were stopped are not suggested for a look", () => {
  const cancelled = failure("cancelled", "the evaluation was cancelled");
  const entry = aLogEntry({ result: null, correct: null, failure: cancelled });
  expect(summarise([entry]).failures.worthALook()).toBeNull();
});

test("an evaluation that was stopped says how far it came", () => {
  const stopped = { ...record, status: "cancelled" as const };
  const fold = new StatsFold([KEY], 5);
  fold.add(aLogEntry());
  const report = evaluationReport(new Outcomes([KEY]));
  const evaluation = {
    record: stopped,
    stats: fold.stats(),
    report,
    failures: new FailureGroups(),
    wrong: new WrongAnswers(),
  };
  expect(plain(summaryLines(evaluation, 80))[0]).toBe("capitals  stopped after 1 of 5 runs and 2.5s");
  const resumed = { doneBefore: 1, tookSeconds: 0.5 };
  expect(plain(summaryLines({ ...evaluation, resumed }, 80))[0]).toBe(
    "capitals  stopped after 1 of 5 runs, 0 of them now in 500ms",
  );
});

test("the next steps are commands that can be copied", () => {
  const { failures, wrong, stats } = summarise([aLogEntry(), failed(1, "slow")]);
  const command = (words: string) => `agent-evaluator ${words}`;
  const run = aRunId(1).slice(0, 8);
  expect(plain(nextLines({ record, stats, failures, wrong }, command, 100)).slice(2)).toEqual([
    "agent-evaluator show capitals-1 --failed        every failure",
    `agent-evaluator show capitals-1 --run ${run}  one failure, step by step`,
  ]);
  const stopped = anEvaluation({ status: "cancelled", file: "my evals/a.eval.ts" });
  expect(plain(nextLines({ record: stopped, stats, failures, wrong }, command, 40))[2]).toBe(
    "agent-evaluator run 'my evals/a.eval.ts' --resume capitals-1",
  );
});

test.each([
  ["what is spent", { tokens: 10, usd: 1 }, " --budget-tokens <more than 12>"],
  [
    "both when both are",
    { tokens: 10, usd: 0.00001 },
    " --budget-usd <more than 0.000012> --budget-tokens <more than 12>",
  ],
  ["all that is known when earlier rounds spent it", { tokens: 300 }, " --budget-tokens <more than 300>"],
  ["nothing when only minutes are over", { tokens: 300, minutes: 1 }, ""],
])("after a spent budget the next step asks for more of %s", (_what, budget, flags) => {
  const stop = failure("budget", "the budget is spent");
  const { failures, wrong, stats } = summarise([
    aLogEntry(),
    { ...failed(1, ""), usage: null, failure: stop },
  ]);
  const stopped = anEvaluation({ status: "cancelled", file: "a.eval.ts", budget });
  const lines = nextLines({ record: stopped, stats, failures, wrong }, (words) => words, 40);
  expect(plain(lines)[2]).toBe(`run a.eval.ts --resume capitals-1${flags}`);
});

const HASTY = { model: "hasty" } as const;
const on = (problem: number, changes: Partial<LogEntry> = {}) =>
  aLogEntry({ index: problem, problemId: ProblemId.parse(`p${problem}`), ...changes });

test("models are compared, and what cannot be told is said", () => {
  const entries = Array.from({ length: 20 }, (_, problem) => [
    on(problem),
    on(problem, { ...HASTY, correct: problem > 2 }),
  ]).flat();
  const { lines } = summarise(entries, 80);
  expect(lines.slice(lines.indexOf("Compared"), lines.indexOf("Wrong answers") - 1)).toEqual([
    "Compared",
    "No significant difference between scripted/steady and scripted/hasty: +15.0",
    "  points (95% CI −5.5 to +32.7, p = 0.25). With 20 problems, differences of",
    "  about 40 points or more can be detected reliably; if it really is +15.0, it",
    "  takes about 57.",
  ]);
  expect(lines.join("\n")).not.toContain("approximate");
});

test("a difference that is told names the better model, and three models are corrected for", () => {
  const entries = Array.from({ length: 30 }, (_, problem) => [
    on(problem),
    on(problem, { ...HASTY, correct: problem > 14 }),
    on(problem, { model: "lazy", correct: problem > 14 }),
  ]).flat();
  const compared = summarise(entries, 200).lines.filter((line) => line.includes(" than "));
  expect(compared).toHaveLength(2);
  expect(compared[0]).toMatch(
    /^scripted\/steady is significantly better than scripted\/hasty: \+50\.0 points .*, p <0\.001, 30 problems/,
  );
  expect(summarise(entries, 200).lines).toContain("p: corrected for 3 comparisons (Holm).");
});

test("lost runs that could turn the ranking are pointed out", () => {
  const lost = { result: null, correct: null, failure: failure("crashed", "gone") };
  const entries = Array.from({ length: 20 }, (_, problem) => [
    on(problem, problem < 4 ? lost : {}),
    on(problem, { ...HASTY, correct: problem > 0 }),
  ]).flat();
  expect(summarise(entries, 100).lines.join(" ")).toContain(
    "4 runs of scripted/steady and scripted/hasty failed because of your code or the infrastructure; without those, their order could be different.",
  );
});

test("the summary says when the store held what the evaluation did not write", () => {
  const width = 100;
  const { stats, failures, wrong } = summarise([aLogEntry()]);
  const report = evaluationReport(new Outcomes([KEY]));
  const linesOf = (foreignEntries: number) =>
    plain(
      summaryLines({ record: { ...record, foreignEntries }, stats, report, failures, wrong }, width),
    ).join(" ");
  expect(linesOf(1)).toContain("1 log entry was found in the store that this evaluation did not write;");
  expect(linesOf(2)).toContain("2 log entries were found in the store");
  expect(summarise([aLogEntry()]).lines.join(" ")).not.toContain("did not write");
});

test("the summary says when a check was stopped, so that two checkers' verdicts are not taken for one's", () => {
  const { stats, failures, wrong } = summarise([aLogEntry()]);
  const report = evaluationReport(new Outcomes([KEY]));
  const linesOf = (unchecked: number) => {
    const recheck = { round: 2, fingerprint: null, runnerVersion: null, unchecked };
    return plain(summaryLines({ record: { ...record, recheck }, stats, report, failures, wrong }, 100)).join(
      " ",
    );
  };
  expect(linesOf(1)).toContain("The last check was stopped: 1 result still has its earlier verdict");
  expect(linesOf(29)).toContain(`29 results still have their earlier verdicts`);
  expect(linesOf(29)).toContain(`check ${record.id}`);
  expect(linesOf(0)).not.toContain("stopped");
});

test("one cell says what became of all runs, and lost ones are explained", () => {
  const crashed = { ...failed(2, ""), failure: failure("crashed", "gone") };
  const { lines } = summarise([aLogEntry(), failed(1, "slow"), crashed, on(3, { correct: null })]);
  expect(lines[3]).toMatch(/^scripted\/steady +50\.0% \S+ +1\/2 · 1 failed · 1 lost · 1 undecided /);
  expect(lines.join(" ")).toContain("Lost: failed because of your code or the infrastructure;");
});

test("a model that a budget stopped has no accuracy but how far it came", () => {
  const stop = failure("budget", "the budget is spent");
  const { lines } = summarise([aLogEntry(), on(1), { ...failed(2, ""), failure: stop }]);
  expect(lines[3]).toMatch(/^scripted\/steady {2}stopped \(2 of 3\) {2}2\/2 · 1 stopped /);
  expect(lines.join("\n")).not.toContain("100%");
});

test("scores have a column where the checker gives them", () => {
  expect(summarise([aLogEntry({ score: 0.5 }), on(1, { score: 0.7 })]).lines[2]).toMatch(
    /correct +score +cost/,
  );
  expect(summarise([aLogEntry({ score: null })]).lines[2]).not.toContain("score");
});
