import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { Problem } from "../domain/problem.ts";
import type { RunSpan } from "../domain/run-number.ts";
import type { RunRange } from "../domain/run-range.ts";
import type { EntryFilter } from "./contract.ts";
import type { EntryHead } from "./entry-head.ts";
import type { EntrySource, RunVerdict } from "./entry-source.ts";
import type { SqliteEntries } from "./sqlite-entries.ts";
import type { SqliteEvaluations } from "./sqlite-evaluations.ts";

/** Neighbours in plan order share a problem, so the last one is kept. */
export class SqliteSource implements EntrySource {
  readonly record: EvaluationRecord;
  readonly ranges: readonly RunRange[];
  readonly #evaluations: SqliteEvaluations;
  readonly #entries: SqliteEntries;
  #last: Problem | null = null;
  #lastPosition = -1;

  constructor(record: EvaluationRecord, evaluations: SqliteEvaluations, entries: SqliteEntries) {
    this.record = record;
    this.ranges = entries.ranges(record.id);
    this.#evaluations = evaluations;
    this.#entries = entries;
  }

  heads(span: RunSpan, filter: EntryFilter): AsyncIterable<EntryHead> {
    return this.#entries.heads(this.record.id, span, filter);
  }

  verdicts(span: RunSpan): AsyncIterable<RunVerdict> {
    return this.#entries.verdicts(this.record.id, span);
  }

  async problemOf({ problemId }: EntryHead): Promise<Problem> {
    if (this.#last?.id === problemId) return this.#last;
    this.#lastPosition = -1;
    this.#last = this.#evaluations.problemOf(this.record.id, problemId);
    return this.#last;
  }

  async problemAt(position: number): Promise<Problem> {
    if (this.#last !== null && this.#lastPosition === position) return this.#last;
    this.#lastPosition = position;
    this.#last = this.#evaluations.problemAt(this.record.id, position);
    return this.#last;
  }
}
