import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Saved } from "./contract.ts";
import { inTransaction } from "./open-database.ts";
import { guard } from "./store-error.ts";

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
