import { hostname } from "node:os";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Span } from "../text/line.ts";

/** The status as a reader needs it: an evaluation whose process is gone is not running. */
export function statusSpan(record: EvaluationRecord, isAlive: (pid: number) => boolean): Span {
  if (record.status === "finished") return ["finished", "green"];
  if (record.status === "cancelled") return ["stopped", "yellow"];
  if (record.status === "broken") return ["broken", "red"];
  return isInterrupted(record, isAlive) ? ["interrupted", "yellow"] : ["running", "cyan"];
}

/** Nobody works on it any more, and nobody said so. */
export const isInterrupted = ({ status, owner }: EvaluationRecord, isAlive = isProcessAlive): boolean =>
  status === "running" && isOwnerGone(owner, isAlive);

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, but somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isOwnerGone(owner: string | null, isAlive: (pid: number) => boolean): boolean {
  if (owner === null) return true;
  const colon = owner.lastIndexOf(":");
  // Of another machine's process we know nothing.
  if (owner.slice(0, colon) !== hostname()) return false;
  return !isAlive(Number(owner.slice(colon + 1)));
}
