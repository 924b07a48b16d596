import { describe, expect, test } from "vitest";
import { csvHeader, csvRow } from "../../src/domain/run/entry-csv.ts";
import type { LogEntry } from "../../src/domain/run/log-entry.ts";
import { foldShard, mergeShard } from "../../src/domain/stats/shard-stats.ts";
import { StatsFold } from "../../src/domain/stats/stats.ts";
import { AgentEvaluator, all, type ModelStats, type Verdict } from "../../src/index.ts";
import { metricColumns } from "../../src/statistics/leaderboard-columns.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const LIMA = "Capital of Peru?";

const evaluate = (problems: unknown[], verdict: (problemId: string) => Verdict) =>
  new AgentEvaluator(
    inProcess({ problems, resultChecker: (_result, _expected, { problemId }) => verdict(problemId) }),
  ).evaluate();

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `p${at}`, problem: LIMA, expected: at }));

describe("numbers that a checker gives beside its verdict", () => {
  test("are kept with the run, averaged, and have an interval", async () => {
    const { logs, stats, report } = await evaluate(numbered(12), (id) => ({
      correct: true,
      metrics: { steps: Number(id.slice(1)), tone: 0.5 },
    }));
    expect(logs[3]?.metrics).toEqual({ steps: 3, tone: 0.5 });
    const [one] = Object.values(stats);
    expect(one?.metrics).toEqual({ steps: { mean: 5.5, runs: 12 }, tone: { mean: 0.5, runs: 12 } });
    const [model] = Object.values(report.models);
    expect(model?.metrics.steps?.value).toBe(5.5);
    expect(model?.metrics.steps?.low).toBeLessThan(5.5);
    expect(model?.metrics.steps?.high).toBeGreaterThan(5.5);
  });

  test("count only where they are given, and add up alike in shards and in one fold", async () => {
    const { logs } = await evaluate(numbered(9), (id) =>
      id < "p4" ? { correct: null, metrics: { tone: 1 / 3 } } : { correct: false },
    );
    const whole = new StatsFold();
    for (const entry of logs as LogEntry[]) whole.add(entry);
    const merged = new StatsFold();
    for (const from of [6, 0, 3]) {
      const shard = {
        evaluationId: (logs[0] as LogEntry).evaluationId,
        shard: 0,
        round: 1,
        from,
        to: from + 3,
      };
      mergeShard(merged, foldShard(shard, (logs as LogEntry[]).slice(from, from + 3)));
    }
    expect(merged.stats()).toEqual(whole.stats());
    expect(Object.values(whole.stats())[0]?.metrics.tone).toEqual({ mean: 0.333333, runs: 4 });
  });

  test("come from every checker that was asked", async () => {
    const giving = (metrics: Record<string, number>) => () => ({ correct: true, metrics });
    const checked = await new AgentEvaluator(
      inProcess({ resultChecker: all(giving({ a: 1 }), giving({ b: 2 })) }),
    ).evaluate();
    expect(checked.logs[0]?.metrics).toEqual({ a: 1, b: 2 });
  });

  test.each<[what: string, verdict: unknown, complaint: RegExp]>([
    ["a name of two words", { correct: true, metrics: { "two words": 1 } }, /name "two words"/],
    [
      "a value that is no number",
      { correct: true, metrics: { tone: Number.NaN } },
      /metrics\.tone is not a number/,
    ],
    [
      "a name that changes objects",
      JSON.parse('{"correct":true,"metrics":{"__proto__":1}}'),
      /name "__proto__"/,
    ],
    [
      "too many",
      { correct: true, metrics: Object.fromEntries(numbered(21).map(({ id }) => [id, 1])) },
      /more than 20/,
    ],
    [
      "metadata of 3 KB",
      { correct: true, metadata: "x".repeat(3_000) },
      /metadata has 3002 bytes, more than 2048/,
    ],
    ["an unknown key", { correct: true, metric: { tone: 1 } }, /unknown key "metric"/],
    ["nothing", {}, /returned \{\}/],
  ])("are refused as a checker's error with %s", async (_what, verdict, complaint) => {
    const { logs } = await evaluate([LIMA], () => verdict as Verdict);
    expect(logs[0]?.failure).toMatchObject({
      cause: "checker_error",
      message: expect.stringMatching(complaint),
    });
  });
});

test("a metric may have the name of what every object has", () => {
  const stats = [{ constructor: { mean: 1, runs: 1 } }, {}].map(
    (metrics) => ({ metrics }) as unknown as ModelStats,
  );
  const [column] = metricColumns(stats);
  const texts = stats.map((each) => column?.text({ stats: each, report: null }));
  expect(texts).toEqual(["1.000", "–"]);
});

test("a plain number is a score", async () => {
  const { logs, stats } = await evaluate([LIMA], () => 0.25);
  expect(logs[0]).toMatchObject({ correct: null, score: 0.25, failure: null });
  expect(Object.values(stats)[0]).toMatchObject({ unscored: 1, meanScore: 0.25 });
});

test("metadata of problem and verdict stay with the run, from a process of its own to the table", async () => {
  const { logs } = await runFile("metadata");
  const [entry] = logs;
  expect(entry).toMatchObject({
    problemMetadata: { source: "atlas", page: 7 },
    metadata: { seen: ["Lima"] },
    metrics: { length: 4 },
  });
  const titles = csvHeader().trim().split(",");
  const row = entry === undefined ? "" : csvRow(entry);
  expect(titles).toEqual(expect.arrayContaining(["metrics", "problemMetadata", "metadata"]));
  expect(row).toContain('"{""length"":4}"');
  expect(row).toContain('"{""source"":""atlas"",""page"":7}"');
});
