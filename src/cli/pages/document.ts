import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { Json } from "../../domain/json.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { wholeEntry } from "../../engine/whole-entry.ts";
import { isInterrupted } from "../../local/owner.ts";
import type { GateResult } from "../../statistics/gates/decision.ts";
import type { EvaluationReport } from "../../statistics/report.ts";
import type { EntryFilter, Store } from "../../store/store.ts";
import { jsonLine, type Screen, type Span } from "../text/screen.ts";
import type { Against } from "./comparison.ts";

export interface EvaluationDocument {
  readonly evaluation: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  /** Conclusions from the stats: intervals, pass@k, flaky problems, slices, and any two models compared. */
  readonly report: EvaluationReport;
  /** The models against those of a baseline, where there is one. */
  readonly against?: Against | null;
  /** The decision of each gate, where an evaluation has just ended. */
  readonly gates?: readonly GateResult[];
  /** The verdicts that a check of stored results changed, where there was one. */
  readonly changes?: readonly { readonly runId: string; readonly was: string; readonly is: string }[];
  readonly logs: AsyncIterable<LogEntry>;
}

const CHUNK_LENGTH = 64 * 1024;

/** Writes `{ evaluation, stats, report, logs }` entry by entry, so that the logs never are in memory together. */
export async function writeDocument(
  screen: Screen,
  { logs, against = null, ...rest }: EvaluationDocument,
): Promise<void> {
  const { stats, report, gates, changes } = rest;
  const evaluation = seenRecord(rest.evaluation);
  const head = { evaluation, stats, report, ...(against === null ? {} : { against }), gates, changes };
  let chunk = `${jsonLine(head).slice(0, -1)},"logs":[`;
  let comma = "";
  for await (const entry of logs) {
    chunk += `${comma}\n${jsonLine(entry)}`;
    comma = ",";
    if (chunk.length < CHUNK_LENGTH) continue;
    screen.write(chunk);
    await screen.flushed();
    chunk = "";
  }
  screen.write(`${chunk}]}`);
}

/** Reads entries in plan order, each with its result. */
export async function* wholeEntries(
  store: Pick<Store, "entries" | "readBody">,
  id: EvaluationId,
  filter: EntryFilter = {},
): AsyncGenerator<LogEntry> {
  for await (const entry of store.entries(id, filter)) yield wholeEntry(store, entry);
}

/** Returns a field of an object; undefined for any other value. */
export function jsonField(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: Json })[name];
}

/** Shows the status; an evaluation whose process is gone is not running. */
export function statusSpan(record: EvaluationRecord): Span {
  if (record.status === "finished") return ["finished", "green"];
  if (record.status === "cancelled") return ["stopped", "yellow"];
  if (record.status === "broken") return ["broken", "red"];
  return isInterrupted(record) ? ["interrupted", "yellow"] : ["running", "cyan"];
}

/** Returns the record for a document, by the same rule. */
export const seenRecord = (record: EvaluationRecord) =>
  isInterrupted(record) ? { ...record, status: "interrupted" as const } : record;
