import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { EvaluatorError } from "../../../src/domain/errors.ts";
import { openDatabase } from "../../../src/store/sqlite/rows.ts";
import { openSqliteStore, sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { collect } from "../../contract/store/collect.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { readLines, startChild, startChildWithin } from "../../fixtures/processes/start-child.ts";
import { aBody, aLogEntry, anEvaluation, aProblem, aRunId } from "../../fixtures/records/a-log-entry.ts";
import { printed } from "../../fixtures/records/captured-output.ts";

const { id } = anEvaluation();
const onLinux = process.platform === "linux";

test("a full database is an error that says so and loses nothing", async () => {
  const folder = aFolder();
  const database = openDatabase(join(folder, "evaluations.sqlite"));
  const store = sqliteStore(folder, database);
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  database.exec("PRAGMA max_page_count = 40");
  const { saved, error } = await saveUntilError(store);
  expect(error).toMatchObject({ code: "store.full", retryable: true });
  expect(error.message).toContain(folder);
  expect(error.message).toMatch(/no disk space or quota is left.*Free some space/);
  await store.close();

  const again = openSqliteStore(folder);
  expect(await collect(again.entries(id))).toHaveLength(saved);
  expect(await again.saveEntry(aLogEntry({ index: saved }), aBody())).toBe("saved");
  await again.close();
});

test("an evaluation that does not fit is not there at all", async () => {
  const folder = aFolder();
  const database = openDatabase(join(folder, "evaluations.sqlite"));
  const store = sqliteStore(folder, database);
  database.exec("PRAGMA max_page_count = 40");
  const large = aProblem({ problem: "x".repeat(1_000_000) });
  await expect(store.createEvaluation(anEvaluation(), [large])).rejects.toMatchObject({ code: "store.full" });
  expect(await store.findEvaluation(id)).toBeNull();
  expect(await store.createEvaluation(anEvaluation(), [aProblem()])).toBe("saved");
  await store.close();
});

test("problems that throw while they are read leave no evaluation", async () => {
  const store = openSqliteStore(aFolder());
  function* broken() {
    yield aProblem();
    throw new Error("the data set is gone");
  }
  await expect(store.createEvaluation(anEvaluation(), broken())).rejects.toThrow("the data set is gone");
  expect(await store.findEvaluation(id)).toBeNull();
  await store.close();
});

test("a body that finds no room is an error and leaves no entry", async () => {
  const folder = aFolder();
  const args = [folder, "w", "0", "6", "5000000"];
  const lines = await readLines(startChildWithin("f 2000", "write-entries.ts", args));
  expect(lines.slice(0, 5)).toEqual([0, 1, 2, 3, 4].map((index) => `saved ${index}`));
  const error = readError(lines[5]);
  expect(error.code).toBe("store.full");
  expect(error.message).toContain(join(folder, "bodies"));

  const store = openSqliteStore(folder);
  expect(await collect(store.entries(id))).toHaveLength(5);
  expect((await store.readBody(id, aRunId(4), 1))?.stdout.head).toBe("w");
  expect(bodyFiles(folder)).toHaveLength(5);
  await store.close();
});

test("a folder that may not be written is an error", async () => {
  const empty = aFolder();
  const used = aFolder();
  await openSqliteStore(used).close();
  for (const folder of [empty, used]) {
    chmodSync(folder, 0o555);
    const [line] = await readLines(startChild("open-unprivileged.ts", [folder]));
    chmodSync(folder, 0o755);
    const error = readError(line);
    expect(error.code).toBe("store.read_only");
    expect(error.message).toContain(folder);
    expect(error.message).toContain("choose another folder");
  }
  expect(readdirSync(empty)).toEqual([]);
});

test("a path through a file is an error", () => {
  const file = join(aFolder(), "file");
  writeFileSync(file, "");
  expect(openError(join(file, "store"))).toMatchObject({ code: "store.unusable" });
  expect(openError(file)).toMatchObject({ code: "store.unusable" });
});

const NO_FOLDER_CAN_BE_IN = onLinux ? { "/proc": "store.unusable", "/sys": "store.read_only" } : {};

test.each(Object.entries(NO_FOLDER_CAN_BE_IN))("a store in %s is an error, not a hang", (place, code) => {
  expect(openError(`${place}/nowhere/store`)).toMatchObject({ code });
});

test("a file that is no database is an error and is left alone", () => {
  const folder = aFolder();
  const file = join(folder, "evaluations.sqlite");
  writeFileSync(file, "hello".repeat(1_000));
  const error = openError(folder);
  expect(error).toMatchObject({ code: "store.unusable" });
  expect(error.message).toContain("Move evaluations.sqlite away");
  expect(readFileSync(file, "utf8")).toBe("hello".repeat(1_000));
});

test("a store of a newer release is an error", async () => {
  const folder = aFolder();
  await openSqliteStore(folder).close();
  withDatabase(folder, (database) => database.exec("PRAGMA user_version = 99"));
  expect(openError(folder)).toMatchObject({ code: "store.unusable" });
});

test("an entry that a newer release wrote is an error, one with more fields is not", async () => {
  const folder = aFolder();
  const store = openSqliteStore(folder);
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  rmSync(join(folder, "seals"), { recursive: true });
  await store.saveEntry(aLogEntry(), aBody());
  const setHead = (field: string, value: number) =>
    withDatabase(folder, (database) =>
      database.prepare("UPDATE entries SET head = json_set(head, ?, ?)").run(`$.${field}`, value),
    );
  setHead("mood", 1);
  expect(await collect(store.entries(id))).toEqual([aLogEntry()]);
  setHead("v", 2);
  await expect(collect(store.entries(id))).rejects.toMatchObject({ code: "store.unusable" });
  await store.close();
});

test("an entry of a problem nobody created is refused", async () => {
  const store = openSqliteStore(aFolder());
  await expect(store.saveEntry(aLogEntry(), aBody())).rejects.toMatchObject({
    code: "store.unknown_problem",
  });
  await store.close();
});

test("a body whose file is gone is an error that names it", async () => {
  const folder = aFolder();
  const store = openSqliteStore(folder);
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  await store.saveEntry(aLogEntry(), aBody({ stdout: printed("hello") }));
  rmSync(join(folder, "bodies"), { recursive: true });
  await expect(store.readBody(id, aRunId(0), 1)).rejects.toMatchObject({ code: "store.body_lost" });
  expect(await collect(store.entries(id))).toEqual([aLogEntry()]);
  await store.close();
});

test("only bodies that hold something are files, one each", async () => {
  const folder = aFolder();
  const store = openSqliteStore(folder);
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  await store.saveEntry(aLogEntry(), aBody());
  expect(existsSync(join(folder, "bodies"))).toBe(false);
  const rivals = Array.from({ length: 10 }, (_, number) => aBody({ stdout: printed(`rival ${number}`) }));
  await Promise.all(rivals.map((body) => store.saveEntry(aLogEntry({ index: 1 }), body)));
  expect(bodyFiles(folder)).toHaveLength(1);
  await store.close();
});

test("the folder keeps itself out of git and leaves an existing rule alone", async () => {
  const folder = aFolder();
  await openSqliteStore(folder).close();
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  writeFileSync(join(folder, ".gitignore"), "mine");
  await openSqliteStore(folder).close();
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine");
});

async function saveUntilError(store: Store): Promise<{ saved: number; error: EvaluatorError }> {
  for (let saved = 0; saved < 10_000; saved++) {
    try {
      await store.saveEntry(aLogEntry({ index: saved, reason: "x".repeat(2_000) }), aBody());
    } catch (error) {
      if (error instanceof EvaluatorError) return { saved, error };
      throw error;
    }
  }
  throw new Error("the database never got full");
}

function openError(folder: string): EvaluatorError {
  try {
    openSqliteStore(folder).close();
  } catch (error) {
    if (error instanceof EvaluatorError) return error;
    throw error;
  }
  throw new Error(`${folder} opened`);
}

function withDatabase(folder: string, work: (database: DatabaseSync) => unknown): void {
  const database = new DatabaseSync(join(folder, "evaluations.sqlite"));
  work(database);
  database.close();
}

const bodyFiles = (folder: string): string[] =>
  readdirSync(join(folder, "bodies"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

function readError(line: string | undefined): { code: string; message: string } {
  if (!line?.startsWith("error ")) throw new Error(`expected an error, got ${line}`);
  return JSON.parse(line.slice("error ".length));
}
