import { entryModelKey, type LogEntry } from "../../domain/log-entry.ts";
import { firstLine } from "../text/first-line.ts";
import type { Line } from "../text/line.ts";
import { preview } from "../text/preview.ts";
import { cutText } from "../text/text-width.ts";
import { verdictMark, verdictOf } from "./verdict.ts";
import { isResultApart } from "./whole-entries.ts";

const LONGEST_PROBLEM = 60;
const LONGEST_ANSWER = 160;

/** One run on one line: verdict, model, problem, and the answer or why there is none. */
export function runLine(entry: LogEntry): Line {
  const trial = entry.trial > 1 ? ` (trial ${entry.trial})` : "";
  return [
    verdictMark(verdictOf(entry)),
    [` ${entryModelKey(entry)}${trial}  `],
    [cutText(preview(entry.problem), LONGEST_PROBLEM), "dim"],
    ...answer(entry),
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
  const expected = entry.correct === false && entry.expected !== null;
  return [
    [`  ${cutText(given, LONGEST_ANSWER)}`],
    ...(expected ? ([[` (expected ${cutText(preview(entry.expected), 60)})`, "dim"]] satisfies Line) : []),
  ];
}
