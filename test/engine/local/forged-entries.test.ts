import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import type { ModelKey } from "../../../src/domain/model.ts";
import { planRuns, type Run } from "../../../src/domain/plan.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { readDefinition } from "../../../src/engine/definition/read-definition.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { sha256 } from "../../../src/system/digest.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { aLogEntry, problemPart } from "../../fixtures/records/a-log-entry.ts";
import { inProcess } from "../../fixtures/run/in-process-options.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";

const ONE = "scripted/one" as ModelKey;

test("what a run writes for itself is told, and its true verdict counts", async () => {
  const { stats, record, warnings, logs } = await evaluate((runs, insert) => insert(runs[1]));
  expect(stats[ONE]).toMatchObject({ finished: 4, correct: 0, wrong: 4 });
  expect(record).toMatchObject({ status: "finished", foreignEntries: 1 });
  expect(logs.map(({ wasForged }) => wasForged)).toEqual([undefined, true, undefined, undefined]);
  expect(warnings).toEqual([
    expect.stringMatching(/^this evaluation did not write 1 of the log entries .* for run [0-9a-f]{20};/),
  ]);
});

test("what a run writes for a later one keeps nobody from running it", async () => {
  const { stats, record } = await evaluate((runs, insert) => insert(runs[3]));
  expect(stats[ONE]).toMatchObject({ finished: 4, wrong: 4 });
  expect(record.foreignEntries).toBe(1);
});

test("what a run writes for a later round is taken away", async () => {
  const { store, stats, record, warnings, logs } = await evaluate((runs, insert) => {
    insert(runs[0], { round: 9 });
    insert(runs[1], { round: 2 });
  });
  expect(stats[ONE]).toMatchObject({ finished: 4, wrong: 4, correct: 0 });
  expect(logs.map(({ round, correct }) => [round, correct])).toEqual(Array(4).fill([1, false]));
  expect(record.foreignEntries).toBe(2);
  expect(warnings).toHaveLength(1);
  expect((await Array.fromAsync(store.verdictRows(record.id)))[0]?.verdicts).toBe("----");
});

test("a run whose entry was changed afterwards is not counted as right or wrong", async () => {
  const { stats, record, logs } = await evaluate((_runs, _insert, write) => {
    write(
      "UPDATE entries SET head = json_set(head, '$.correct', json('true')), verdict = '+' WHERE position = 0",
    );
  });
  expect(stats[ONE]).toMatchObject({ finished: 4, wrong: 3, correct: 0, failed: 1 });
  expect(logs[0]?.failure).toMatchObject({
    cause: "crashed",
    message: expect.stringContaining("--retry-failed"),
  });
  expect(record.foreignEntries).toBe(1);
});

test("what was written before a crash is no reason for resume to leave a run out", async () => {
  const { store, runs, record: ended, insert } = await evaluate(() => {}, { problems: [0, 1] });
  await store.updateEvaluation({ ...ended, status: "running", owner: null, stats: null });
  insert(runs[0], { round: 2 });
  const warnings: string[] = [];
  const resumed = await runInProcess(store, OPTIONS, {
    resume: ended.id,
    retryFailed: true,
    listener: { warning: (message) => void warnings.push(message) },
  });
  expect(resumed.stats[ONE]).toMatchObject({ finished: 2, wrong: 2, correct: 0 });
  expect(resumed.record.foreignEntries).toBe(1);
  expect(warnings).toContainEqual(expect.stringContaining(`for run ${runs[0]?.runId}`));
});

test("an evaluation that nobody tampers with says nothing", async () => {
  const { record, warnings, logs } = await evaluate(() => {});
  expect(record).not.toHaveProperty("foreignEntries");
  expect(warnings).toEqual([]);
  expect(logs.some((entry) => "wasForged" in entry)).toBe(false);
});

type Insert = (run: Run | undefined, changes?: { round: number }) => void;
type Attack = (runs: readonly Run[], insert: Insert, write: (sql: string) => void) => void;

const OPTIONS: Partial<EvaluationOptions> = { name: "tampered", resultChecker: () => false };

/** Four runs, all wrong, the second of which attacks the database as an agent does that reaches it. */
async function evaluate(attack: Attack, { problems = [0, 1, 2, 3] } = {}) {
  const folder = aFolder();
  const store: Store = openSqliteStore(folder);
  onTestFinished(() => store.close());
  const warnings: string[] = [];
  const runs: Run[] = [];
  let id: EvaluationRecord["id"] | null = null;
  const write = (sql: string, ...values: (string | number)[]) => {
    const database = new DatabaseSync(join(folder, "evaluations.sqlite"));
    database.prepare(sql).run(...values);
    database.close();
  };
  const insert: Insert = (run, { round } = { round: 1 }) => {
    if (run === undefined || id === null) throw new Error("no such run");
    const {
      problem: _p,
      expected: _e,
      tags: _t,
      ...head
    } = aLogEntry({
      ...problemPart(run.problem),
      ...{ evaluationId: id, runId: run.runId, index: run.index, round, correct: true, model: "one" },
    });
    write(
      `INSERT INTO entries (evaluation_id, run_id, round, position, verdict, problem_id, head) VALUES (?,?,?,?,?,?,?)`,
      ...[id, run.runId, round, run.index, "+", JSON.stringify(run.problem.id), JSON.stringify(head)],
    );
  };
  const options: Partial<EvaluationOptions> = {
    ...OPTIONS,
    problems,
    concurrency: 1,
    buildAgent: (_provider, _model, _tools, problem) => () => {
      if (problem === 1) attack(runs, insert, write);
      return "wrong";
    },
  };
  runs.push(...planRuns(await readDefinition(inProcess(options), sha256), sha256));
  const { stats, record } = await runInProcess(store, options, {
    listener: {
      started: (info) => {
        id = info.record.id;
      },
      warning: (message) => void warnings.push(message),
    },
  });
  const logs = await Array.fromAsync(store.entries(record.id));
  return { store, stats, record, warnings, logs, runs, insert };
}
