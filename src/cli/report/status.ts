import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { isInterrupted } from "../../engine/evaluation-owner.ts";
import type { Span } from "../text/line.ts";

/** The status as a reader needs it: an evaluation whose process is gone is not running. */
export function statusSpan(record: EvaluationRecord): Span {
  if (record.status === "finished") return ["finished", "green"];
  if (record.status === "cancelled") return ["stopped", "yellow"];
  if (record.status === "broken") return ["broken", "red"];
  return isInterrupted(record) ? ["interrupted", "yellow"] : ["running", "cyan"];
}

/** The record as a document has it, by the same rule. */
export const seenRecord = (record: EvaluationRecord) =>
  isInterrupted(record) ? { ...record, status: "interrupted" as const } : record;
