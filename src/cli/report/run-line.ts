import { entryModelKey, type LogEntry } from "../../domain/log-entry.ts";
import type { ModelKey } from "../../domain/model.ts";
import { firstLine } from "../../domain/show/first-line.ts";
import { preview } from "../../domain/show/preview.ts";
import { isResultApart } from "../../engine/whole-entry.ts";
import { escapeText } from "../text/escape-text.ts";
import type { Line } from "../text/line.ts";
import { cutText, padEnd, textWidth } from "../text/text-width.ts";
import { verdictMark, verdictOf } from "./verdict.ts";

const LONGEST_PROBLEM = 60;
const SHORTEST_PROBLEM = 16;
const LONGEST_ANSWER = 160;
const LONGEST_REASON = 160;

export interface RunLineLayout {
  readonly modelWidth: number;
  /** Of the whole line, with what stands before it. */
  readonly columns: number;
}

/** Columns that are the same for all runs of these models. */
export const runLineLayout = (models: readonly ModelKey[], columns: number): RunLineLayout => ({
  modelWidth: Math.max(0, ...models.map((key) => textWidth(escapeText(key)))),
  columns,
});

/** One run on one line: verdict, model, problem, and the answer or why there is none. */
export function runLine(entry: LogEntry, { modelWidth, columns }: RunLineLayout): Line {
  const half = Math.floor((columns - modelWidth) / 2);
  return [...runHead(entry, modelWidth, half), ...answer(entry)];
}

/** The same without the answer. */
export function runHead(entry: LogEntry, modelWidth: number, problemWidth: number): Line {
  const trial = entry.trial > 1 ? ` (trial ${entry.trial})` : "";
  const room = problemWidth - trial.length;
  const problem = cutText(
    preview(entry.problem),
    Math.max(SHORTEST_PROBLEM, Math.min(LONGEST_PROBLEM, room)),
  );
  return [
    verdictMark(verdictOf(entry)),
    [` ${padEnd(escapeText(entryModelKey(entry)), modelWidth)}  `],
    [`${problem}${trial}`, "dim"],
  ];
}

function answer(entry: LogEntry): Line {
  if (entry.failure !== null) {
    return [
      [`  ${entry.failure.cause}: `, "yellow"],
      [cutText(firstLine(entry.failure.message), LONGEST_ANSWER)],
    ];
  }
  const given = isResultApart(entry) ? "(large result)" : preview(entry.result);
  const why = whyNotRight(entry);
  return [
    [`  ${cutText(given, LONGEST_ANSWER)}`],
    ...(why === null ? [] : ([[` (${why})`, "dim"]] satisfies Line)),
  ];
}

/** What the checker said of an answer that it did not call right; without a word of its own, what was expected. */
export function whyNotRight({ correct, reason, expected, failure }: LogEntry): string | null {
  if (correct === true || failure !== null) return null;
  if (reason !== null) return cutText(firstLine(reason), LONGEST_REASON);
  return correct === null || expected === null ? null : `expected ${cutText(preview(expected), 60)}`;
}
