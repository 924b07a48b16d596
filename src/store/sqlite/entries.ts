import { setImmediate } from "node:timers/promises";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import type { RunSpan } from "../../domain/plan.ts";
import { RunRange } from "../../domain/run/run-range.ts";
import { VERDICT, type VerdictLetter, verdictOf } from "../../domain/run/verdict.ts";
import { EntryHead } from "../entry-head.ts";
import type { RunVerdict } from "../ranges.ts";
import type { Seals } from "../seals.ts";
import type { EntryFilter, EntryName, Saved, SavedEntry } from "../store.ts";
import { countOf, NO_COUNT, type ProgressCount, readStored } from "../stored.ts";
import { inPages, type Row, type SqliteRows } from "./rows.ts";
import { problemKey, SQL } from "./schema.ts";

export interface FoundEntry {
  readonly head: EntryHead;
  /** Null when the head alone gives the body back. */
  readonly bodyKey: string | null;
}

const HEADS_PER_PAGE = 500;
const VERDICTS_PER_PAGE = 5_000;

/** The rows of runs: entries, ranges, and how far a round has come. */
export class SqliteEntries {
  readonly #rows: SqliteRows;
  readonly #seals: Seals;

  constructor(rows: SqliteRows, seals: Seals) {
    this.#rows = rows;
    this.#seals = seals;
  }

  insert(head: EntryHead, bodyKey: string | null): SavedEntry {
    const { evaluationId, runId, round, index, problemId } = head;
    return this.#rows.together(() => {
      if (this.has(evaluationId, runId, round)) return "already-there";
      const isTaken = this.#rows.write(SQL.removeEntry, [evaluationId, runId, round]) === "saved";
      const text = JSON.stringify(isTaken ? { ...head, wasForged: true } : head);
      const stored = [runId, round, index, verdictOf(head), problemKey(problemId), bodyKey, text];
      const seal = this.#seals.sign(head, stored);
      this.#rows.write(SQL.insertEntry, [evaluationId, ...stored, seal]);
      this.#rows.write(SQL.bumpProgress, [evaluationId, round, ...countValues(head)]);
      return isTaken ? "replaced" : "saved";
    });
  }

  /** Every round is looked at: one that is foreign may hide one that is not. */
  async removeForeign(evaluationId: EvaluationId, { from, to }: RunSpan): Promise<EntryName[]> {
    const removed: EntryName[] = [];
    for (let first = from; first < to; first += HEADS_PER_PAGE) {
      await setImmediate();
      const span = { from: first, to: Math.min(first + HEADS_PER_PAGE, to) };
      const rows = this.#rows.read(SQL.everyRound, { evaluation: evaluationId, ...span });
      for (const row of rows.filter((each) => this.#isForeign(evaluationId, each))) {
        const name = nameOf(evaluationId, row);
        this.#rows.write(SQL.removeEntry, [evaluationId, name.runId, name.round]);
        removed.push(name);
      }
    }
    return removed;
  }

  insertRange(range: RunRange): Saved {
    const { evaluationId, round, from, to } = range;
    return this.#rows.write(SQL.insertRange, [evaluationId, round, from, to, JSON.stringify(range)]);
  }

  ranges(evaluation: EvaluationId): readonly RunRange[] {
    const rows = this.#rows.read(SQL.ranges, { evaluation });
    return rows.map((row) => readStored(RunRange, row.range, "A range of runs"));
  }

  /** Heads in plan order, and only the latest round of every run. */
  async *heads(evaluation: EvaluationId, span: RunSpan, filter: EntryFilter): AsyncGenerator<EntryHead> {
    const wanted = {
      verdicts: wantedVerdicts(filter),
      runs: filter.runIds === undefined ? null : JSON.stringify(filter.runIds),
    };
    const readAfter = (position: number, limit: number) =>
      this.#rows.read(SQL.entriesAfter, { evaluation, ...wanted, position, beyond: span.to, limit });
    for await (const row of inPages(span.from - 1, HEADS_PER_PAGE, readAfter, positionOf)) {
      const own = this.#isForeign(evaluation, row)
        ? this.rounds(evaluation, runOf(row)).at(-1)
        : readHead(row);
      if (own !== undefined) yield own;
    }
  }

  async *verdicts(evaluation: EvaluationId, { from, to }: RunSpan): AsyncGenerator<RunVerdict> {
    const readAfter = (position: number, limit: number) =>
      this.#rows.read(SQL.verdictsAfter, { evaluation, position, beyond: to, limit });
    for await (const row of inPages(from - 1, VERDICTS_PER_PAGE, readAfter, positionOf)) {
      yield { index: positionOf(row), verdict: String(row.verdict) as VerdictLetter };
    }
  }

  rounds(evaluation: EvaluationId, run: RunId): EntryHead[] {
    return this.#ownRows(SQL.rounds, { evaluation, run }).map(readHead);
  }

  has(evaluation: EvaluationId, run: RunId, round: number): boolean {
    return this.#ownRows(SQL.findEntry, { evaluation, run, round }).length > 0;
  }

  find(evaluation: EvaluationId, run: RunId, round: number): FoundEntry | null {
    const [row] = this.#ownRows(SQL.findEntry, { evaluation, run, round });
    if (row === undefined) return null;
    return { head: readHead(row), bodyKey: row.body === null ? null : String(row.body) };
  }

  progress(evaluation: EvaluationId, round: number): ProgressCount {
    const [row] = this.#rows.read(SQL.progress, { evaluation, round });
    if (row === undefined) return NO_COUNT;
    const counts = Object.entries(row).map(([field, value]) => [field, Number(value)]);
    return { ...NO_COUNT, ...Object.fromEntries(counts) };
  }

  #ownRows(sql: string, wanted: { evaluation: EvaluationId; run: RunId; round?: number }): Row[] {
    return this.#rows.read(sql, wanted).filter((row) => !this.#isForeign(wanted.evaluation, row));
  }

  #isForeign(evaluationId: EvaluationId, row: Row): boolean {
    const stored = [row.run_id, row.round, row.position, row.verdict, row.problem_id, row.body, row.head];
    return this.#seals.isForeign({ evaluationId, round: Number(row.round) }, stored, row.seal);
  }
}

/** A plain number is bound as one with a fraction, which from 2⁵¹ on is not a whole number to SQLite. */
function countValues(head: EntryHead): bigint[] {
  const { finished, correct, failed, inputTokens, outputTokens, costNanoUsd } = countOf(head);
  return [finished, correct, failed, inputTokens, outputTokens, costNanoUsd].map(BigInt);
}

/** The letters that a filter lets through, or null for all of them. */
function wantedVerdicts({ failed, correct, cause }: EntryFilter): string | null {
  if (cause !== undefined) return VERDICT[cause];
  if (correct !== undefined) return correct ? VERDICT.correct : VERDICT.wrong;
  if (failed === undefined) return null;
  const answered: readonly string[] = [VERDICT.correct, VERDICT.wrong, VERDICT.unscored];
  return failed
    ? Object.values(VERDICT)
        .filter((letter) => !answered.includes(letter))
        .join("")
    : answered.join("");
}

const runOf = (row: Row): RunId => String(row.run_id) as RunId;
const nameOf = (evaluationId: EvaluationId, row: Row): EntryName => ({
  evaluationId,
  runId: runOf(row),
  index: positionOf(row),
  round: Number(row.round),
});
const positionOf = (row: Row): number => Number(row.position);
const readHead = (row: Row): EntryHead => readStored(EntryHead, row.head, "A log entry");
