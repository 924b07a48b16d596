import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import type { EvaluationReport } from "../../domain/statistics/evaluation-report.ts";
import { BLANK, type Line } from "../text/line.ts";
import { comparisonLines } from "./comparison-lines.ts";
import type { FailureGroups } from "./failure-groups.ts";
import { failureLines } from "./failure-lines.ts";
import { footnotes } from "./footnotes.ts";
import { foreignLines } from "./foreign-lines.ts";
import { nothingScored } from "./nothing-scored.ts";
import { statsTable } from "./stats-table.ts";
import { type Resumed, titleLine } from "./title-line.ts";
import { passTable } from "./trial-tables.ts";

export interface SummaryInput {
  readonly record: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly report: EvaluationReport;
  readonly failures: FailureGroups;
  readonly width: number;
  readonly resumed?: Resumed | null;
}

/** What is left on the screen when an evaluation has ended. */
export function summaryLines({ record, stats, report, failures, width, resumed }: SummaryInput): Line[] {
  return inBlocks([
    [titleLine(record, stats, resumed)],
    nothingScored(stats, width),
    statsTable(stats, report, width),
    passTable(report, width),
    footnotes(stats, report, width, [
      "Accuracy: correct / (scored + the model's own failures), and its 95% interval.",
    ]),
    foreignLines(record, width),
    comparisonLines(report, width),
    failureLines(failures.groups(), width),
  ]);
}

/** Blocks with a blank line between them; a block without lines leaves none behind. */
export const inBlocks = (blocks: readonly (readonly Line[])[]): Line[] =>
  blocks
    .filter((block) => block.length > 0)
    .flatMap((block, at) => (at === 0 ? [...block] : [BLANK, ...block]));
