import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Problem } from "../domain/problem.ts";
import type { RunBody } from "../domain/run-body.ts";

export type Saved = "saved" | "already-there";

export interface EntryFilter {
  /** Only entries whose run failed, or only of these runs. */
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
  /** Replaces the record of an evaluation that exists. */
  updateEvaluation(record: EvaluationRecord): Promise<void>;
  findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null>;
  /** Newest first. */
  listEvaluations(filter?: EvaluationFilter): Promise<readonly EvaluationRecord[]>;
  problems(id: EvaluationId): AsyncIterable<Problem>;
  /** Within a round the first save of a run wins; the body is there before the entry is. */
  saveEntry(entry: LogEntry, body: RunBody): Promise<Saved>;
  /** In plan order, of every run only the entry with the highest round; a large result stays in the body. */
  entries(id: EvaluationId, filter?: EntryFilter): AsyncIterable<LogEntry>;
  /** Every round of one run, oldest first. */
  rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]>;
  readBody(id: EvaluationId, runId: RunId, round: number): Promise<RunBody | null>;
  close(): Promise<void>;
}
