import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Line } from "../text/line.ts";
import { wrapText } from "../text/width.ts";

/** Said aloud when the store held what the evaluation had not written: something can write there that must not. */
export function foreignLines({ foreignEntries = 0 }: EvaluationRecord, width: number): Line[] {
  if (foreignEntries === 0) return [];
  const found = foreignEntries === 1 ? "1 log entry was found" : `${foreignEntries} log entries were found`;
  const text =
    `${found} in the store that this evaluation did not write; the numbers above do not include ` +
    `${foreignEntries === 1 ? "it" : "them"}. Something else can write to the store, maybe an agent: ` +
    "read the transcripts before you trust these models' runs.";
  return wrapText(text, width).map((piece): Line => [[piece, "red"]]);
}
