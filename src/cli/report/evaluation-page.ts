import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { plural } from "../../domain/show/format-count.ts";
import { formatTime } from "../../domain/show/format-time.ts";
import type { Line } from "../text/line.ts";
import { comparisonLines } from "./comparison-lines.ts";
import { failureLines } from "./failure-lines.ts";
import { footnotes } from "./footnotes.ts";
import { foreignLines } from "./foreign-lines.ts";
import { nothingScored } from "./nothing-scored.ts";
import { accuracyTable, statsTable } from "./stats-table.ts";
import { statusSpan } from "./status.ts";
import { inBlocks, type SummaryInput } from "./summary.ts";
import { titleLine } from "./title-line.ts";
import { flakyLines, passTable, sliceTable } from "./trial-tables.ts";

/** An evaluation as `show` prints it: where it came from, every accuracy, comparison and flaky problem, the failures. */
export function evaluationPage({ record, stats, report, failures, width }: SummaryInput): Line[] {
  return inBlocks([
    [titleLine(record, stats), ...factLines(record)],
    nothingScored(stats, width),
    statsTable(stats, report, width),
    accuracyTable(stats, report, width),
    passTable(report, width),
    sliceTable(report, width),
    footnotes(stats, report, width, [
      "Accuracy: correct / (scored + the model's own failures), and its 95% interval.",
      "Of scored: only answers that were checked; of all: every run, whoever's fault.",
      "Per right: what the model's runs cost, by its right answers.",
    ]),
    foreignLines(record, width),
    comparisonLines(report, width, Number.POSITIVE_INFINITY),
    flakyLines(report, width),
    failureLines(failures.groups(), width, Number.POSITIVE_INFINITY),
  ]);
}

function factLines(record: EvaluationRecord): Line[] {
  const { models, problemCount, trials, file } = record;
  const size = [plural(models.length, "model"), plural(problemCount, "problem"), plural(trials, "trial")];
  return [
    [[`${record.id}  `, "dim"], statusSpan(record)],
    [[`${formatTime(record.startedAt)} · ${size.join(" × ")} · ${file ?? "started by a script"}`, "dim"]],
  ];
}
