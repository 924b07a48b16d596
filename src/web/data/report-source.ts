import { csvHeader, csvRow } from "../../domain/run/entry-csv.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { ProblemRows, ShownEvaluation, Source } from "./source.ts";

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

/** Reads from a report on disk: one evaluation, and no server behind it. */
export function reportSource({ evaluation, grid, entries, bodies }: ReportData): Source {
  const refuse = () =>
    Promise.reject(
      new Error("a report only shows results; to start or retry evaluations, run agent-evaluator view"),
    );
  return {
    mayAct: false,
    evaluations: async () => ({ evaluations: [evaluation], next: null }),
    evaluation: async () => evaluation,
    grid: async () => grid,
    rounds: async (_id, run) => entries.filter(({ runId, index }) => runId === run || String(index) === run),
    body: async (_id, runId, round) => bodies[reportBodyKey({ runId, round })] ?? null,
    trend: async () => [evaluation],
    exportFile: async (_id, format) => new Blob([toFile(entries, format)], { type: "text/plain" }),
    cancel: refuse,
    retry: refuse,
    definitions: async () => [],
    start: refuse,
  };
}

function toFile(entries: readonly LogEntry[], format: "jsonl" | "csv"): string {
  if (format === "csv") return csvHeader() + entries.map(csvRow).join("");
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
