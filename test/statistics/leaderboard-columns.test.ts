import { expect, test } from "vitest";
import { ProblemId } from "../../src/domain/ids.ts";
import { failure } from "../../src/domain/run/failure.ts";
import type { LogEntry } from "../../src/domain/run/log-entry.ts";
import { addEntry, emptyTally, toModelStats } from "../../src/domain/stats/stats.ts";
import { LEADERBOARD, type LeaderboardRow, passColumns } from "../../src/statistics/leaderboard-columns.ts";
import { Outcomes } from "../../src/statistics/outcomes.ts";
import { evaluationReport } from "../../src/statistics/report.ts";
import { aLogEntry } from "../fixtures/records/a-log-entry.ts";

function rowOf(entries: readonly LogEntry[]): LeaderboardRow {
  const tally = emptyTally();
  const outcomes = new Outcomes();
  for (const entry of entries) {
    addEntry(tally, entry);
    outcomes.addEntry(entry);
  }
  const [report = null] = Object.values(evaluationReport(outcomes).models);
  return { stats: toModelStats(tally, entries.length), report };
}

const failed = { result: null, correct: null, failure: failure("timeout", "too slow") } as const;
const row = rowOf([
  aLogEntry(),
  aLogEntry({ correct: false }),
  aLogEntry({ correct: null }),
  aLogEntry(failed),
]);

test("correct is of what the accuracy is of, with the failed runs beside it", () => {
  expect(LEADERBOARD.correct.text(row)).toBe("1/3");
  expect(row.stats.accuracy).toBe(1 / 3);
  expect(LEADERBOARD.failed.text(row)).toBe("1");
  expect(LEADERBOARD.failureRate.text(row)).toBe("25.0%");
  expect(LEADERBOARD.runs.text(row)).toBe("4/4");
});

test("an accuracy has its interval where there is a report, and is a share without one", () => {
  expect(LEADERBOARD.accuracy.text(row)).toMatch(/^33\.3% \d+–\d+$/);
  expect(LEADERBOARD.accuracy.text({ ...row, report: null })).toBe("33.3%");
});

test("a model that never ran has dashes and comes last", () => {
  const never = { stats: toModelStats(emptyTally(), 3), report: null };
  for (const name of ["accuracy", "cost", "costPerCorrect", "p50", "score"] as const) {
    expect(LEADERBOARD[name].text(never)).toBe("–");
    expect(LEADERBOARD[name].rank(never)).toBeNull();
  }
});

test("what is cheaper, faster or fails less ranks first", () => {
  const better = rowOf([aLogEntry({ costUsd: 0.1, runtimeSeconds: 1 })]);
  const worse = rowOf([
    aLogEntry({ costUsd: 0.2, runtimeSeconds: 2 }),
    aLogEntry({ ...failed, runtimeSeconds: 2 }),
  ]);
  for (const name of ["cost", "p50", "failed", "tokens"] as const) {
    expect(Number(LEADERBOARD[name].rank(better))).toBeGreaterThan(Number(LEADERBOARD[name].rank(worse)));
  }
});

test("passes have columns for two trials and for all, and none for a single trial", () => {
  const trials = [true, true, false].map((correct, at) =>
    aLogEntry({ problemId: ProblemId.parse("a"), trial: at + 1, correct }),
  );
  const { report, stats } = rowOf(trials);
  const columns = passColumns(report === null ? [] : [report]);
  expect(columns.map(({ title, text }) => [title, text({ report })])).toEqual([
    ["pass@2", "100% 21–100"],
    ["pass^2", "33.3% 3–91"],
    ["pass@3", "100% 21–100"],
    ["pass^3", "0% 0–79"],
  ]);
  expect(stats.finished).toBe(3);
  const single = rowOf([aLogEntry()]).report;
  expect(passColumns(single === null ? [] : [single])).toEqual([]);
});
