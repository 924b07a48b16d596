import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Problem } from "../domain/problem.ts";
import type { RunBody } from "../domain/run-body.ts";

export type Saved = "saved" | "already-there";

export interface EntryFilter {
  /** True for only the runs that failed, false for only those that did not. */
  readonly failed?: boolean;
  readonly runIds?: readonly RunId[];
  readonly fromIndex?: number;
}

export interface EvaluationFilter {
  readonly name?: string;
  readonly limit?: number;
}

/** Where evaluations and the log entries of their runs live. */
export interface Store {
  /** Creates the evaluation with the problems it is about; an id that exists is refused as `already-there`. */
  createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Promise<Saved>;
  /** Replaces the record of an evaluation that exists; another is the error `store.unknown_evaluation`. */
  updateEvaluation(record: EvaluationRecord): Promise<void>;
  findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null>;
  /** Newest first. */
  listEvaluations(filter?: EvaluationFilter): Promise<readonly EvaluationRecord[]>;
  /** In the order in which they were given. */
  problems(id: EvaluationId): AsyncIterable<Problem>;
  /**
   * Within a round the first save of a run wins, entry and body alike; the body is there before the entry is.
   * The entry's problem is one that the evaluation was created with, and the body holds the whole result.
   */
  saveEntry(entry: LogEntry, body: RunBody): Promise<Saved>;
  /**
   * In plan order, of every run only the entry with the highest round. A large result stays in the body
   * (`result` is null, `resultBytes` is not 0), and long texts are cut with a mark that says so.
   */
  entries(id: EvaluationId, filter?: EntryFilter): AsyncIterable<LogEntry>;
  /** Every round of one run, oldest first. */
  rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]>;
  readBody(id: EvaluationId, runId: RunId, round: number): Promise<RunBody | null>;
  /** Closing twice is fine; using a closed store is not. */
  close(): Promise<void>;
}
