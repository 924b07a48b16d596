import type { LogEntry } from "../../domain/run/log-entry.ts";
import { wholeEntries } from "../pages/document.ts";
import type { Output, OutputFile } from "./output-file.ts";

/** Writes an entry per line, each with its whole result. */
export const jsonlOutput = (file: OutputFile): Output => ({
  async add({ record, reader }) {
    for await (const entry of wholeEntries(reader, record.id)) await file.write(`${JSON.stringify(entry)}\n`);
  },
  end: () => file.close(),
});

/** Writes a row per run, as RFC 4180 has it. */
export function csvOutput(file: OutputFile): Output {
  let hasTitles = false;
  return {
    async add({ record, reader }) {
      if (!hasTitles) await file.write(rowOf(Object.keys(COLUMNS)));
      hasTitles = true;
      for await (const entry of wholeEntries(reader, record.id)) {
        await file.write(rowOf(Object.values(COLUMNS).map((cell) => cell(entry))));
      }
    },
    end: () => file.close(),
  };
}

type Cell = string | number | boolean | null | undefined;

const COLUMNS = {
  evaluation: (entry) => entry.evaluationId,
  run: (entry) => entry.runId,
  provider: (entry) => entry.providerKey,
  model: (entry) => entry.model,
  problem_id: (entry) => entry.problemId,
  trial: (entry) => entry.trial,
  tags: (entry) => entry.tags.join(" "),
  correct: (entry) => entry.correct,
  score: (entry) => entry.score,
  failure: (entry) => entry.failure?.cause,
  fault: (entry) => entry.failure?.fault,
  reason: (entry) => entry.failure?.message ?? entry.reason,
  runtime_seconds: (entry) => entry.runtimeSeconds,
  input_tokens: (entry) => entry.usage?.inputTokens,
  output_tokens: (entry) => entry.usage?.outputTokens,
  cost_usd: (entry) => entry.costUsd,
  started_at: (entry) => entry.startedAt,
  problem: (entry) => asText(entry.problem),
  expected: (entry) => asText(entry.expected),
  result: (entry) => asText(entry.result),
} as const satisfies Record<string, (entry: LogEntry) => Cell>;

const asText = (value: LogEntry["result"]): Cell =>
  value === null || typeof value === "string" ? value : JSON.stringify(value);

const rowOf = (cells: readonly Cell[]): string => `${cells.map(cellText).join(",")}\r\n`;

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return String(cell);
  // A spreadsheet would run a model's answer that begins like a formula.
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
