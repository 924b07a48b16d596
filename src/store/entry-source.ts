import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { Problem } from "../domain/problem.ts";
import type { RunSpan } from "../domain/run-number.ts";
import type { RunRange } from "../domain/run-range.ts";
import type { Verdict } from "../domain/verdict.ts";
import type { EntryFilter } from "./contract.ts";
import type { EntryHead } from "./entry-head.ts";

export interface RunVerdict {
  readonly index: number;
  readonly verdict: Verdict;
}

/** What a backend knows of one evaluation; how it looks to readers is the same for all of them. */
export interface EntrySource {
  readonly record: EvaluationRecord;
  readonly ranges: readonly RunRange[];
  /**
   * Of every run in the span that has an entry of its own the one with the highest round, in plan order.
   * Those that the filter refuses may be left out.
   */
  heads(span: RunSpan, filter: EntryFilter): AsyncIterable<EntryHead>;
  /** What became of the same runs. */
  verdicts(span: RunSpan): AsyncIterable<RunVerdict>;
  problemOf(head: EntryHead): Promise<Problem>;
  problemAt(position: number): Promise<Problem>;
}
