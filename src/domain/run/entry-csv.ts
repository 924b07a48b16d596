import type { Json } from "../json.ts";
import { entryModelKey, type LogEntry } from "./log-entry.ts";

const COLUMNS: readonly (readonly [title: string, read: (entry: LogEntry) => Json | undefined])[] = [
  ["evaluationId", (entry) => entry.evaluationId],
  ["index", (entry) => entry.index],
  ["runId", (entry) => entry.runId],
  ["round", (entry) => entry.round],
  ["model", entryModelKey],
  ["problemId", (entry) => entry.problemId],
  ["trial", (entry) => entry.trial],
  ["tags", (entry) => entry.tags.join(" ")],
  ["correct", (entry) => entry.correct],
  ["score", (entry) => entry.score],
  ["reason", (entry) => entry.reason],
  ["cause", (entry) => entry.failure?.cause],
  ["fault", (entry) => entry.failure?.fault],
  ["message", (entry) => entry.failure?.message],
  ["inputTokens", (entry) => entry.usage?.inputTokens],
  ["outputTokens", (entry) => entry.usage?.outputTokens],
  ["cachedInputTokens", (entry) => entry.usage?.cachedInputTokens],
  ["reasoningTokens", (entry) => entry.usage?.reasoningTokens],
  ["costUsd", (entry) => entry.costUsd],
  ["turns", (entry) => entry.turns],
  ["runtimeSeconds", (entry) => entry.runtimeSeconds],
  ["waitSeconds", (entry) => entry.waitSeconds],
  ["startedAt", (entry) => entry.startedAt],
  ["endedAt", (entry) => entry.endedAt],
  ["problem", (entry) => entry.problem],
  ["expected", (entry) => entry.expected],
  ["result", (entry) => entry.result],
  ["variant", (entry) => entry.variant],
  ["metrics", (entry) => entry.metrics],
  ["problemMetadata", (entry) => entry.problemMetadata],
  ["metadata", (entry) => entry.metadata],
];

/** The titles of a table of runs, as RFC 4180 has them; the command, the API and the page write the same table. */
export const csvHeader = (): string => toLine(COLUMNS.map(([title]) => title));

/** One run as a row of that table. */
export const csvRow = (entry: LogEntry): string => toLine(COLUMNS.map(([, read]) => cellOf(read(entry))));

const toLine = (cells: readonly string[]): string => `${cells.join(",")}\r\n`;

/** A spreadsheet takes these for a formula, in full width too, and skips blanks and invisible characters before them. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@＝＋－＠])/u;

/** Numbers stay numbers; a text that a spreadsheet would take for a formula is marked as text. */
function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
