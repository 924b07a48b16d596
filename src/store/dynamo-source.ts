import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { Problem } from "../domain/problem.ts";
import { placeOfRun, type RunSpan } from "../domain/run-number.ts";
import type { RunRange } from "../domain/run-range.ts";
import type { DynamoEntries } from "./dynamo-entries.ts";
import { type Manifest, manifestOf, type StoredEvaluation } from "./dynamo-evaluations.ts";
import type { DynamoProblems } from "./dynamo-problems.ts";
import type { EntryHead } from "./entry-head.ts";
import type { EntrySource, RunVerdict } from "./entry-source.ts";

/** Neighbours in plan order share a problem, so the last one is kept. */
export class DynamoSource implements EntrySource {
  readonly record: EvaluationRecord;
  readonly ranges: readonly RunRange[];
  readonly #manifest: Manifest;
  readonly #entries: DynamoEntries;
  readonly #problems: DynamoProblems;
  #last: { readonly position: number; readonly problem: Problem } | null = null;

  constructor(
    stored: StoredEvaluation,
    ranges: readonly RunRange[],
    entries: DynamoEntries,
    problems: DynamoProblems,
  ) {
    this.record = stored.record;
    this.ranges = ranges;
    this.#manifest = manifestOf(stored);
    this.#entries = entries;
    this.#problems = problems;
  }

  heads(span: RunSpan): AsyncIterable<EntryHead> {
    return this.#entries.heads(this.record.id, span);
  }

  verdicts(span: RunSpan): AsyncIterable<RunVerdict> {
    return this.#entries.verdicts(this.record.id, span);
  }

  problemOf({ index }: EntryHead): Promise<Problem> {
    return this.problemAt(placeOfRun(this.record, index)?.problem ?? -1);
  }

  async problemAt(position: number): Promise<Problem> {
    if (this.#last?.position === position) return this.#last.problem;
    const problem = await this.#problems.at(this.#manifest, position);
    this.#last = { position, problem };
    return problem;
  }
}
