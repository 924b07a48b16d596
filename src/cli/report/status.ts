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
