import { copyFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { collect } from "../../contract/store/collect.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { aBody, aLogEntry, anEvaluation, aProblem, aRunId } from "../../fixtures/records/a-log-entry.ts";

const { id } = anEvaluation();

test.each([
  ["its verdict", "UPDATE entries SET head = json_set(head, '$.correct', json('true'))"],
  ["its letter", "UPDATE entries SET verdict = '+'"],
  ["its body", "UPDATE entries SET body = 'another.json'"],
  ["its signature", "UPDATE entries SET seal = NULL"],
  ["its run", `UPDATE entries SET run_id = '${aRunId(3)}'`],
  ["its place in the plan", "UPDATE entries SET position = 3"],
  ["its round", "UPDATE entries SET round = 3"],
])("an entry of which somebody changed %s is found and does not count", async (_what, sql) => {
  const { store, write } = await aStore();
  await store.saveEntry(aLogEntry({ correct: false }), aBody());
  write(sql);
  expect(await collect(store.entries(id))).toEqual([]);
  expect(await store.removeForeign(id)).toHaveLength(1);
});

test("an entry that was copied to another run does not count there", async () => {
  const { store, write } = await aStore();
  await store.saveEntry(aLogEntry(), aBody());
  write(`INSERT INTO entries SELECT evaluation_id, '${aRunId(1)}', round, 1, problem_id, body, head, verdict, seal
    FROM entries`);
  expect(await collect(store.entries(id))).toEqual([aLogEntry()]);
  const wrong = aLogEntry({ index: 1, correct: false });
  expect(await store.saveEntry(wrong, aBody())).toBe("replaced");
});

test("a foreign entry of a later round does not hide the one that counts", async () => {
  const { store, write } = await aStore();
  await store.saveEntry(aLogEntry({ correct: false }), aBody());
  write(`INSERT INTO entries SELECT evaluation_id, run_id, 9, position, problem_id, body,
    json_set(head, '$.round', 9, '$.correct', json('true')), '+', seal FROM entries`);
  expect(await collect(store.entries(id))).toMatchObject([{ round: 1, correct: false }]);
});

test("another process that uses the folder signs with the same key", async () => {
  const { folder, store } = await aStore();
  const other = openSqliteStore(folder);
  await other.saveEntry(aLogEntry(), aBody());
  expect(await store.saveEntry(aLogEntry(), aBody())).toBe("already-there");
  expect(await store.removeForeign(id)).toEqual([]);
  await other.close();
});

test("an evaluation whose key did not come along is read as it is", async () => {
  const { folder, store } = await aStore();
  await store.saveEntry(aLogEntry(), aBody());
  await store.close();
  const copy = aFolder();
  copyFileSync(join(folder, "evaluations.sqlite"), join(copy, "evaluations.sqlite"));
  const copied = openSqliteStore(copy);
  expect(await collect(copied.entries(id))).toEqual([aLogEntry()]);
  expect(await copied.removeForeign(id)).toEqual([]);
  await copied.close();
});

test("only its user may read the key", async () => {
  const { folder } = await aStore();
  const [key = ""] = readdirSync(join(folder, "seals"));
  expect(statSync(join(folder, "seals")).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, "seals", key)).mode & 0o777).toBe(0o600);
});

interface Opened {
  readonly folder: string;
  readonly store: Store;
  /** As an agent does that reaches the database. */
  readonly write: (sql: string) => void;
}

async function aStore(): Promise<Opened> {
  const folder = aFolder();
  const store = openSqliteStore(folder);
  onTestFinished(() => store.close());
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  const write = (sql: string) => {
    const database = new DatabaseSync(join(folder, "evaluations.sqlite"));
    database.exec(sql);
    database.close();
  };
  return { folder, store, write };
}
