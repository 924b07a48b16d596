import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { plural } from "../../domain/show/format-count.ts";
import { formatTime } from "../../domain/show/format-time.ts";
import { BLANK, type Line } from "../text/line.ts";
import { failureLines } from "./failure-lines.ts";
import { footnotes } from "./footnotes.ts";
import { accuracyTable, statsTable } from "./stats-table.ts";
import { isProcessAlive, statusSpan } from "./status.ts";
import type { SummaryInput } from "./summary.ts";
import { titleLine } from "./title-line.ts";

/** An evaluation as `show` prints it: where it came from, every accuracy, and the failures. */
export function evaluationPage(input: SummaryInput): Line[] {
  const { record, stats, width } = input;
  const failed = failureLines(input.failures.groups(), width);
  return [
    titleLine(record, stats),
    ...factLines(record),
    BLANK,
    ...statsTable(stats, width),
    BLANK,
    ...accuracyTable(stats, width),
    BLANK,
    ...footnotes(stats, width, [
      "Accuracy: correct / (scored + the model's own failures).",
      "Of scored: only answers that were checked; of all: every run, whoever's fault.",
    ]),
    ...(failed.length > 0 ? [BLANK, ...failed] : []),
  ];
}

function factLines(record: EvaluationRecord): Line[] {
  const { models, problemCount, trials, file } = record;
  const size = [plural(models.length, "model"), plural(problemCount, "problem"), plural(trials, "trial")];
  return [
    [[`${record.id}  `, "dim"], statusSpan(record, isProcessAlive)],
    [[`${formatTime(record.startedAt)} · ${size.join(" × ")} · ${file ?? "started by a script"}`, "dim"]],
  ];
}
