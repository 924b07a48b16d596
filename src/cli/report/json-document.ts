import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import type { EvaluationReport } from "../../domain/statistics/evaluation-report.ts";
import type { Against } from "../run/regression.ts";
import type { Screen } from "../screen.ts";
import { seenRecord } from "./status.ts";

export interface DocumentParts {
  readonly evaluation: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  /** What the stats allow to say: intervals, pass@k, flaky problems, slices, and any two models compared. */
  readonly report: EvaluationReport;
  /** The models against those of a baseline, where there is one. */
  readonly against?: Against | null;
  readonly logs: AsyncIterable<LogEntry>;
}

const CHUNK_LENGTH = 64 * 1024;

/** Writes `{ evaluation, stats, report, logs }` entry by entry, so that the logs never are in memory together. */
export async function writeDocument(
  screen: Screen,
  { logs, against = null, ...parts }: DocumentParts,
): Promise<void> {
  const { stats, report } = parts;
  const evaluation = seenRecord(parts.evaluation);
  const head = { evaluation, stats, report, ...(against === null ? {} : { against }) };
  let chunk = `${JSON.stringify(head).slice(0, -1)},"logs":[`;
  let comma = "";
  for await (const entry of logs) {
    chunk += `${comma}\n${JSON.stringify(entry)}`;
    comma = ",";
    if (chunk.length < CHUNK_LENGTH) continue;
    screen.write(chunk);
    await screen.flushed();
    chunk = "";
  }
  screen.write(`${chunk}]}`);
}
