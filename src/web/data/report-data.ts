import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { ProblemRows, ShownEvaluation } from "./source.ts";

/** The data inside a report. */
export interface ReportData {
  readonly evaluation: ShownEvaluation;
  readonly grid: ProblemRows;
  /** Every round of every run, in plan order. */
  readonly entries: readonly LogEntry[];
  /** By `reportBodyKey`; a large evaluation leaves some out. */
  readonly bodies: Readonly<Record<string, RunBody>>;
}

/** The id of the element that holds the data, as JSON. */
export const REPORT_PLACE = "agent-evaluator-report";

export const reportBodyKey = ({ runId, round }: { runId: string; round: number }): string =>
  `${runId}/${round}`;
