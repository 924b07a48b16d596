import type { LogEntry } from "../../domain/log-entry.ts";
import { firstLine } from "../../domain/show/first-line.ts";
import { escapeText } from "../text/escape-text.ts";
import type { Line } from "../text/line.ts";
import { wrapText } from "../text/text-width.ts";
import { type RunLineLayout, runHead, runLine } from "./run-line.ts";

/** So much of a run's id tells it from the others and can be typed. */
export const SHORT_ID = 8;

const idSpan = (entry: LogEntry) => [`${entry.runId.slice(0, SHORT_ID)}  `, "dim"] as const;

/** A run in a list, with the id that `--run` takes. */
export const listedRun = (entry: LogEntry, layout: RunLineLayout): Line => [
  idSpan(entry),
  ...runLine(entry, layout),
];

/** A failed run on a terminal: why it failed is what the reader came for, so it is wrapped and not cut. */
export function listedFailure(entry: LogEntry, layout: RunLineLayout): Line[] {
  const { failure } = entry;
  if (failure === null || !Number.isFinite(layout.columns)) return [listedRun(entry, layout)];
  const indent = " ".repeat(SHORT_ID + 4);
  const message = escapeText(firstLine(failure.message));
  const [first = "", ...more] = wrapText(
    `${failure.cause}: ${message}`,
    Math.max(20, layout.columns - indent.length),
  );
  return [
    [
      idSpan(entry),
      ...runHead(entry, layout.modelWidth, layout.columns - indent.length - layout.modelWidth - 2),
    ],
    [
      [`${indent}${first.slice(0, failure.cause.length + 1)}`, "yellow"],
      [first.slice(failure.cause.length + 1)],
    ],
    ...more.map((line): Line => [[`${indent}${line}`]]),
  ];
}
