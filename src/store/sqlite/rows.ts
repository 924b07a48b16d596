import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { EvaluatorError } from "../../domain/errors.ts";
import { guard } from "../errors.ts";
import type { Saved } from "../store.ts";
import { MIGRATIONS } from "./schema.ts";

export type Row = Record<string, SQLOutputValue>;

/** Reads and writes rows; every call is one short statement, none stays open, and an error says where. */
export class SqliteRows {
  readonly #database: DatabaseSync;
  readonly #place: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, place: string) {
    this.#database = database;
    this.#place = place;
  }

  read(sql: string, values: Record<string, SQLInputValue>): Row[] {
    return guard(this.#place, () => this.#statement(sql).all(values));
  }

  write(sql: string, values: SQLInputValue[]): Saved {
    const { changes } = guard(this.#place, () => this.#statement(sql).run(...values));
    return changes === 0 ? "already-there" : "saved";
  }

  /** All of it, or nothing when it throws. */
  together<T>(work: () => T): T {
    return guard(this.#place, () => inTransaction(this.#database, work));
  }

  close(): void {
    if (this.#database.isOpen) guard(this.#place, () => this.#database.close());
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/**
 * Reads page after page, each whole and none open while the reader works, so that no writer waits for a reader.
 * Before every page everything else in the process gets its turn, also when somebody reads over and over.
 */
export async function* inPages<Row, Cursor>(
  first: Cursor,
  pageSize: number,
  readAfter: (cursor: Cursor, pageSize: number) => readonly Row[],
  cursorOf: (row: Row) => Cursor,
): AsyncGenerator<Row> {
  for (let cursor = first; ; ) {
    await setImmediate();
    const page = readAfter(cursor, pageSize);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    cursor = cursorOf(last);
  }
}

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
function inTransaction<T>(database: DatabaseSync, work: () => T): T {
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
