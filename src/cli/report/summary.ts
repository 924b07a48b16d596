import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { BLANK, type Line } from "../text/line.ts";
import type { FailureGroups } from "./failure-groups.ts";
import { failureLines } from "./failure-lines.ts";
import { footnotes } from "./footnotes.ts";
import { statsTable } from "./stats-table.ts";
import { type Resumed, titleLine } from "./title-line.ts";

export interface SummaryInput {
  readonly record: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly failures: FailureGroups;
  readonly width: number;
  readonly resumed?: Resumed | null;
}

/** What is left on the screen when an evaluation has ended. */
export function summaryLines({ record, stats, failures, width, resumed }: SummaryInput): Line[] {
  const failed = failureLines(failures.groups(), width);
  return [
    titleLine(record, stats, resumed),
    BLANK,
    ...statsTable(stats, width),
    BLANK,
    ...footnotes(stats, width, [
      "Accuracy: correct / (scored + the model's own failures); show has two more.",
    ]),
    ...(failed.length > 0 ? [BLANK, ...failed] : []),
  ];
}
