import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId, ProblemId, RunId } from "../domain/ids.ts";
import type { Problem } from "../domain/problem.ts";
import type { EntryFilter, EvaluationFilter, Saved } from "./contract.ts";
import { EntryHead } from "./entry-head.ts";
import { inTransaction } from "./open-database.ts";
import { readStored } from "./read-stored.ts";
import { type EntryCursor, nameKey, problemKey, SQL } from "./sqlite-schema.ts";
import { guard } from "./store-error.ts";
import { problemFromText, problemToText } from "./stored-problem.ts";

export interface FoundEntry {
  readonly head: EntryHead;
  /** Null when the head alone gives the body back. */
  readonly bodyKey: string | null;
}

/** The rows of one database; every call is one short statement or one transaction, and none stays open. */
export class SqliteTables {
  readonly #database: DatabaseSync;
  readonly #place: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, place: string) {
    this.#database = database;
    this.#place = place;
  }

  createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Saved {
    return guard(this.#place, () =>
      inTransaction(this.#database, () => {
        const { id, name, startedAt } = record;
        const values = [id, nameKey(name), Date.parse(startedAt), JSON.stringify(record)];
        if (this.#write(SQL.createEvaluation, values) === "already-there") return "already-there";
        let position = 0;
        for (const problem of problems) {
          this.#write(SQL.createProblem, [id, position++, problemKey(problem.id), problemToText(problem)]);
        }
        return "saved";
      }),
    );
  }

  updateEvaluation(record: EvaluationRecord): "updated" | "unknown" {
    const { id, name, startedAt } = record;
    const values = [nameKey(name), Date.parse(startedAt), JSON.stringify(record), id];
    return this.#write(SQL.updateEvaluation, values) === "saved" ? "updated" : "unknown";
  }

  findEvaluation(id: EvaluationId): EvaluationRecord | null {
    return this.#read(SQL.findEvaluation, { id }).map(readRecord)[0] ?? null;
  }

  listEvaluations({ name, limit }: EvaluationFilter): readonly EvaluationRecord[] {
    const wanted = { name: name === undefined ? null : nameKey(name), limit: limit ?? -1 };
    return this.#read(SQL.listEvaluations, wanted).map(readRecord);
  }

  problemsAfter(evaluation: EvaluationId, position: number, limit: number) {
    return this.#read(SQL.problemsAfter, { evaluation, position, limit }).map((row) => ({
      position: Number(row.position),
      problem: problemFromText(row.problem, `Problem ${row.position} of ${evaluation}`),
    }));
  }

  findProblem(evaluation: EvaluationId, problem: ProblemId): Problem {
    const [row] = this.#read(SQL.findProblem, { evaluation, problem: problemKey(problem) });
    return problemFromText(row?.problem, `Problem ${problem} of ${evaluation}`);
  }

  insertEntry(head: EntryHead, bodyKey: string | null): Saved {
    const { evaluationId, runId, round, index, problemId, failure } = head;
    const failed = Number(failure !== null);
    const text = JSON.stringify(head);
    const values = [evaluationId, runId, round, index, failed, problemKey(problemId), bodyKey, text];
    return this.#write(SQL.insertEntry, values);
  }

  /** Heads in plan order, and only the latest round of every run. */
  entriesAfter(
    evaluation: EvaluationId,
    filter: EntryFilter,
    cursor: EntryCursor,
    limit: number,
  ): EntryHead[] {
    const wanted = {
      failed: filter.failed === undefined ? null : Number(filter.failed),
      runs: filter.runIds === undefined ? null : JSON.stringify(filter.runIds),
    };
    return this.#read(SQL.entriesAfter, { evaluation, ...wanted, ...cursor, limit }).map(readHead);
  }

  rounds(evaluation: EvaluationId, run: RunId): EntryHead[] {
    return this.#read(SQL.rounds, { evaluation, run }).map(readHead);
  }

  hasEntry(evaluation: EvaluationId, run: RunId, round: number): boolean {
    return this.#read(SQL.hasEntry, { evaluation, run, round }).length > 0;
  }

  findEntry(evaluation: EvaluationId, run: RunId, round: number): FoundEntry | null {
    const [row] = this.#read(SQL.findEntry, { evaluation, run, round });
    if (row === undefined) return null;
    return { head: readHead(row), bodyKey: row.body === null ? null : String(row.body) };
  }

  close(): void {
    if (this.#database.isOpen) guard(this.#place, () => this.#database.close());
  }

  #read(sql: string, values: Record<string, SQLInputValue>): Row[] {
    return guard(this.#place, () => this.#statement(sql).all(values));
  }

  #write(sql: string, values: SQLInputValue[]): Saved {
    const { changes } = guard(this.#place, () => this.#statement(sql).run(...values));
    return changes === 0 ? "already-there" : "saved";
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

type Row = Record<string, SQLOutputValue>;

const readRecord = (row: Row): EvaluationRecord =>
  readStored(EvaluationRecord, row.record, "The record of an evaluation");
const readHead = (row: Row): EntryHead => readStored(EntryHead, row.head, "A log entry");
