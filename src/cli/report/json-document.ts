import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import type { Screen } from "../screen.ts";

export interface DocumentParts {
  readonly evaluation: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly logs: AsyncIterable<LogEntry>;
}

const CHUNK_LENGTH = 64 * 1024;

/** Writes `{ evaluation, stats, logs }` entry by entry, so that the logs never are in memory together. */
export async function writeDocument(
  screen: Screen,
  { evaluation, stats, logs }: DocumentParts,
): Promise<void> {
  let chunk = `{"evaluation":${JSON.stringify(evaluation)},"stats":${JSON.stringify(stats)},"logs":[`;
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
