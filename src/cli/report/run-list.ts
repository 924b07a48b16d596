import type { LogEntry } from "../../domain/log-entry.ts";
import { firstLine } from "../../domain/show/first-line.ts";
import { escapeText } from "../text/escape-text.ts";
import { type Line, lineWidth } from "../text/line.ts";
import { wrapText } from "../text/text-width.ts";
import { type RunLineLayout, runHead, runLine, whyNotRight } from "./run-line.ts";

/** So much of a run's id tells it from the others and can be typed. */
const SHORT_ID = 8;
const INDENT = " ".repeat(SHORT_ID + 4);

const idSpan = (entry: LogEntry) => [`${entry.runId.slice(0, SHORT_ID)}  `, "dim"] as const;

/** A run in a list, with the id that `--run` takes; where a terminal would cut it, why it is not right comes below. */
export function listedRun(entry: LogEntry, layout: RunLineLayout): Line[] {
  const line: Line = [idSpan(entry), ...runLine(entry, layout)];
  const why = whyNotRight(entry);
  if (why === null || lineWidth(line) <= layout.columns) return [line];
  return [line, [[`${INDENT}${why}`, "dim"]]];
}

/** A failed run on a terminal: why it failed is what the reader came for, so it is wrapped and not cut. */
export function listedFailure(entry: LogEntry, layout: RunLineLayout): Line[] {
  const { failure } = entry;
  if (failure === null || !Number.isFinite(layout.columns)) return listedRun(entry, layout);
  const message = escapeText(firstLine(failure.message));
  const [first = "", ...more] = wrapText(
    `${failure.cause}: ${message}`,
    Math.max(20, layout.columns - INDENT.length),
  );
  return [
    [
      idSpan(entry),
      ...runHead(entry, layout.modelWidth, layout.columns - INDENT.length - layout.modelWidth - 2),
    ],
    [
      [`${INDENT}${first.slice(0, failure.cause.length + 1)}`, "yellow"],
      [first.slice(failure.cause.length + 1)],
    ],
    ...more.map((line): Line => [[`${INDENT}${line}`]]),
  ];
}
