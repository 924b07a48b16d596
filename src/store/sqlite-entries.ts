import type { EvaluationId, RunId } from "../domain/ids.ts";
import type { RunSpan } from "../domain/run-number.ts";
import { RunRange } from "../domain/run-range.ts";
import { VERDICT, type Verdict, verdictOf } from "../domain/verdict.ts";
import type { EntryFilter, Saved } from "./contract.ts";
import { EntryHead } from "./entry-head.ts";
import type { RunVerdict } from "./entry-source.ts";
import { inPages } from "./in-pages.ts";
import { countOf, NO_COUNT, type ProgressCount } from "./progress-count.ts";
import { readStored } from "./read-stored.ts";
import type { Row, SqliteRows } from "./sqlite-rows.ts";
import { problemKey, SQL } from "./sqlite-schema.ts";

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

  constructor(rows: SqliteRows) {
    this.#rows = rows;
  }

  insert(head: EntryHead, bodyKey: string | null): Saved {
    const { evaluationId, runId, round, index, problemId } = head;
    const text = JSON.stringify(head);
    const values = [evaluationId, runId, round, index, verdictOf(head), problemKey(problemId), bodyKey, text];
    return this.#rows.together(() => {
      const saved = this.#rows.write(SQL.insertEntry, values);
      if (saved === "saved") this.#rows.write(SQL.bumpProgress, [evaluationId, round, ...countValues(head)]);
      return saved;
    });
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
      yield readHead(row);
    }
  }

  async *verdicts(evaluation: EvaluationId, { from, to }: RunSpan): AsyncGenerator<RunVerdict> {
    const readAfter = (position: number, limit: number) =>
      this.#rows.read(SQL.verdictsAfter, { evaluation, position, beyond: to, limit });
    for await (const row of inPages(from - 1, VERDICTS_PER_PAGE, readAfter, positionOf)) {
      yield { index: positionOf(row), verdict: String(row.verdict) as Verdict };
    }
  }

  rounds(evaluation: EvaluationId, run: RunId): EntryHead[] {
    return this.#rows.read(SQL.rounds, { evaluation, run }).map(readHead);
  }

  has(evaluation: EvaluationId, run: RunId, round: number): boolean {
    return this.#rows.read(SQL.hasEntry, { evaluation, run, round }).length > 0;
  }

  find(evaluation: EvaluationId, run: RunId, round: number): FoundEntry | null {
    const [row] = this.#rows.read(SQL.findEntry, { evaluation, run, round });
    if (row === undefined) return null;
    return { head: readHead(row), bodyKey: row.body === null ? null : String(row.body) };
  }

  progress(evaluation: EvaluationId, round: number): ProgressCount {
    const [row] = this.#rows.read(SQL.progress, { evaluation, round });
    if (row === undefined) return NO_COUNT;
    const counts = Object.entries(row).map(([field, value]) => [field, Number(value)]);
    return { ...NO_COUNT, ...Object.fromEntries(counts) };
  }
}

function countValues(head: EntryHead): number[] {
  const { finished, correct, failed, inputTokens, outputTokens, costNanoUsd } = countOf(head);
  return [finished, correct, failed, inputTokens, outputTokens, costNanoUsd];
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

const positionOf = (row: Row): number => Number(row.position);
const readHead = (row: Row): EntryHead => readStored(EntryHead, row.head, "A log entry");
