import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/schema.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { problemToText } from "../../../src/store/stored.ts";
import { collect } from "../../contract/store/collect.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { aBody, aLogEntry, anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";

const { id } = anEvaluation();

test("a store of the first release opens with everything in it", async () => {
  const folder = aFolder();
  const failed = { correct: null, usage: null, costUsd: null, failure: failure("rate_limited", "busy") };
  const entries = [
    aLogEntry({ index: 0 }),
    aLogEntry({ index: 1, correct: false }),
    aLogEntry({ index: 2, ...failed }),
    aLogEntry({ index: 2, round: 2 }),
    aLogEntry({ index: 3, correct: null }),
  ];
  writeFirstRelease(folder, entries);

  const store = openSqliteStore(folder);
  expect(await store.findEvaluation(id)).toEqual(anEvaluation());
  expect(await collect(store.entries(id))).toEqual(entries.filter(({ failure: why }) => why === null));
  const [row] = await collect(store.verdictRows(id));
  expect(row?.verdicts.slice(0, 5)).toBe("+-+?.");
  expect(await collect(store.entries(id, { failed: true }))).toEqual([]);
  expect(await store.progress(id)).toEqual({
    finished: 4,
    correct: 1,
    failed: 1,
    inputTokens: 30,
    outputTokens: 6,
    costUsd: 0.000_036,
  });
  expect(await store.saveEntry(aLogEntry({ index: 4, ...failed }), aBody())).toBe("saved");
  expect(await store.progress(id)).toMatchObject({ finished: 5, failed: 2 });
  await store.close();
});

/** As that release left it: its tables, and a record without what came later. */
function writeFirstRelease(folder: string, entries: readonly LogEntry[]): void {
  const { concurrency: _c, stats: _s, execution: _e, runnerVersion: _r, ...record } = anEvaluation();
  const database = new DatabaseSync(join(folder, "evaluations.sqlite"));
  database.exec(`${MIGRATIONS[0]}; PRAGMA user_version = 1`);
  const problem = aProblem();
  database
    .prepare("INSERT INTO evaluations VALUES (?, ?, ?, ?)")
    .run(id, JSON.stringify(record.name), Date.parse(record.startedAt), JSON.stringify(record));
  database
    .prepare("INSERT INTO problems VALUES (?, 0, ?, ?)")
    .run(id, JSON.stringify(problem.id), problemToText(problem));
  for (const entry of entries) {
    const { problem: _problem, expected: _expected, tags: _tags, ...head } = entry;
    const { runId, round, index } = entry;
    database
      .prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, NULL, ?)")
      .run(
        id,
        runId,
        round,
        index,
        Number(entry.failure !== null),
        JSON.stringify(problem.id),
        JSON.stringify(head),
      );
  }
  database.close();
}
