import { csvHeader, csvRow } from "../../domain/run/entry-csv.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { REPORT_PLACE, type ReportData, reportBodyKey } from "./report-data.ts";
import type { Source } from "./source.ts";

export function readReport(page: Document): ReportData | null {
  const text = page.getElementById(REPORT_PLACE)?.textContent;
  return text ? (JSON.parse(text) as ReportData) : null;
}

/** Reads from a report on disk: one evaluation, and no server behind it. */
export function reportSource({ evaluation, grid, entries, bodies }: ReportData): Source {
  const refuse = () =>
    Promise.reject(new Error("a report only shows results; run agent-evaluator view to go on"));
  return {
    mayAct: false,
    evaluations: async () => ({ evaluations: [evaluation], next: null }),
    evaluation: async () => evaluation,
    grid: async () => grid,
    rounds: async (_id, run) => entries.filter(({ runId, index }) => runId === run || String(index) === run),
    body: async (_id, runId, round) => bodies[reportBodyKey({ runId, round })] ?? null,
    trend: async () => [{ ...evaluation, models: evaluation.stats }],
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
