import { accessSync, constants, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId, ProblemId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Problem } from "../domain/problem.ts";
import type { RunBody } from "../domain/run-body.ts";
import { BodyFiles } from "./body-files.ts";
import { bodyOfHead, bodyToKeep } from "./body-to-keep.ts";
import type { EntryFilter, EvaluationFilter, Saved, Store } from "./contract.ts";
import { type EntryHead, toEntryHead, toLogEntry } from "./entry-head.ts";
import { inPages } from "./in-pages.ts";
import { makeFolder } from "./make-folder.ts";
import { openDatabase } from "./open-database.ts";
import { beforeIndex, type EntryCursor } from "./sqlite-schema.ts";
import { SqliteTables } from "./sqlite-tables.ts";
import { guard } from "./store-error.ts";
import { unknownEvaluation } from "./unknown-evaluation.ts";

/** Keeps evaluations in a folder: one SQLite database for what is listed, one file per body. */
export function openSqliteStore(folder: string): Store {
  return guard(folder, () => {
    makeFolder(folder);
    // The dot tells a file in the folder's place from a folder without rights.
    accessSync(`${folder}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    writeGitignore(folder);
    return sqliteStore(folder, openDatabase(join(folder, "evaluations.sqlite")));
  });
}

/** The store over a database that is open; closing the store closes it. */
export const sqliteStore = (folder: string, database: DatabaseSync): Store =>
  new SqliteStore(new SqliteTables(database, folder), new BodyFiles(join(folder, "bodies")));

const ENTRIES_PER_PAGE = 500;
/** A problem may be large, so few are in memory at once. */
const PROBLEMS_PER_PAGE = 50;

class SqliteStore implements Store {
  readonly #tables: SqliteTables;
  readonly #bodies: BodyFiles;

  constructor(tables: SqliteTables, bodies: BodyFiles) {
    this.#tables = tables;
    this.#bodies = bodies;
  }

  async createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Promise<Saved> {
    return this.#tables.createEvaluation(record, problems);
  }

  async updateEvaluation(record: EvaluationRecord): Promise<void> {
    if (this.#tables.updateEvaluation(record) === "unknown") throw unknownEvaluation(record.id);
  }

  async findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null> {
    return this.#tables.findEvaluation(id);
  }

  async listEvaluations(filter: EvaluationFilter = {}): Promise<readonly EvaluationRecord[]> {
    return this.#tables.listEvaluations(filter);
  }

  async *problems(id: EvaluationId): AsyncGenerator<Problem> {
    const readAfter = (position: number, limit: number) => this.#tables.problemsAfter(id, position, limit);
    for await (const { problem } of inPages(-1, PROBLEMS_PER_PAGE, readAfter, (row) => row.position)) {
      yield problem;
    }
  }

  async saveEntry(entry: LogEntry, body: RunBody): Promise<Saved> {
    const { evaluationId, runId, round } = entry;
    if (this.#tables.hasEntry(evaluationId, runId, round)) return "already-there";
    const head = toEntryHead(entry);
    const kept = bodyToKeep(entry, head, body);
    const key = kept && (await this.#bodies.write(evaluationId, runId, round, kept));
    const saved = this.#tables.insertEntry(head, key);
    if (saved === "already-there" && key !== null) await this.#removeUnlessWon(entry, key);
    return saved;
  }

  async *entries(id: EvaluationId, filter: EntryFilter = {}): AsyncGenerator<LogEntry> {
    const problemOf = this.#problemReader(id);
    const readAfter = (cursor: EntryCursor, limit: number) =>
      this.#tables.entriesAfter(id, filter, cursor, limit);
    const start = beforeIndex(filter.fromIndex ?? 0);
    for await (const head of inPages(start, ENTRIES_PER_PAGE, readAfter, cursorOf)) {
      yield toLogEntry(head, problemOf(head.problemId));
    }
  }

  async rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]> {
    const problemOf = this.#problemReader(id);
    return this.#tables.rounds(id, runId).map((head) => toLogEntry(head, problemOf(head.problemId)));
  }

  async readBody(id: EvaluationId, runId: RunId, round: number): Promise<RunBody | null> {
    const found = this.#tables.findEntry(id, runId, round);
    if (found === null) return null;
    return found.bodyKey === null ? bodyOfHead(found.head) : this.#bodies.read(found.bodyKey);
  }

  async close(): Promise<void> {
    this.#tables.close();
  }

  /** Two writers of equal content share one file, and then it is the winner's. */
  async #removeUnlessWon({ evaluationId, runId, round }: LogEntry, key: string): Promise<void> {
    const winner = this.#tables.findEntry(evaluationId, runId, round);
    if (winner?.bodyKey !== key) await this.#bodies.remove(key);
  }

  /** Entries in plan order share a problem with their neighbours, so the last one is kept. */
  #problemReader(id: EvaluationId): (problemId: ProblemId) => Problem {
    let last: Problem | null = null;
    return (problemId) => {
      if (last?.id !== problemId) last = this.#tables.findProblem(id, problemId);
      return last;
    };
  }
}

/** What an evaluation leaves behind may hold secrets and is never committed by accident. */
function writeGitignore(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
  }
}

const cursorOf = ({ index, runId }: EntryHead): EntryCursor => ({ position: index, run: runId });
