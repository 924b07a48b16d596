import { DatabaseSync } from "node:sqlite";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { MIGRATIONS } from "./sqlite-migrations.ts";

const BUSY_TIMEOUT_MS = 10_000;
const WAL_TRIES = 100;

/** Opens a database that other processes may use at the same time, and brings its tables up to date. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    // The switch writes the head of a new file, which holds nothing yet that would be worth waiting for the disk.
    database.exec("PRAGMA synchronous = OFF");
    keepWriteAheadLog(database);
    // A killed process loses nothing; a power cut may lose the last moments, never the database.
    database.exec("PRAGMA synchronous = NORMAL");
    makeTables(database, file);
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** SQLite does not wait for its busy timeout when two processes switch a new database at once. */
function keepWriteAheadLog(database: DatabaseSync): void {
  for (let tries = 1; ; tries++) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (cause) {
      if (!isBusy(cause) || tries === WAL_TRIES) throw cause;
      waitForOthers(database);
    }
  }
}

const SQLITE_BUSY = 5;
const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "errcode" in cause && Number(cause.errcode) % 256 === SQLITE_BUSY;

function waitForOthers(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  database.exec("ROLLBACK");
}

const SCHEMA_VERSION = MIGRATIONS.length;

function makeTables(database: DatabaseSync, file: string): void {
  if (schemaVersion(database) === SCHEMA_VERSION) return;
  inTransaction(database, () => {
    const version = schemaVersion(database);
    if (version > SCHEMA_VERSION) throw newerVersion(file, version);
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

const schemaVersion = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version);

const newerVersion = (file: string, version: number): EvaluatorError =>
  new EvaluatorError(
    "store.unusable",
    `${file} has version ${version} of the store and this release reads up to version ${SCHEMA_VERSION}; use the release that wrote it, or another folder for the store`,
  );

/** All of it, or nothing when it throws; other writers wait meanwhile. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const done = work();
    database.exec("COMMIT");
    return done;
  } catch (cause) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw cause;
  }
}
