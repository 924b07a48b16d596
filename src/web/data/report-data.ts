import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { EvaluationView, GridPage } from "./source.ts";

/** What a report carries in itself. */
export interface ReportData {
  readonly view: EvaluationView;
  readonly grid: GridPage;
  /** Every round of every run, in plan order. */
  readonly entries: readonly LogEntry[];
  /** By `bodyKey`; a large evaluation leaves some out. */
  readonly bodies: Readonly<Record<string, RunBody>>;
}

/** The id of the element that holds it, as JSON. */
export const REPORT_PLACE = "agent-evaluator-report";

export const bodyKey = ({ runId, round }: Pick<LogEntry, "runId" | "round">): string => `${runId}/${round}`;
