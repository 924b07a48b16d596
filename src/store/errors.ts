import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";

export const bodyLost = (place: string, what: string, cause?: unknown): EvaluatorError =>
  new EvaluatorError(
    "store.body_lost",
    `${place} ${what}; the log entry of its run is still whole, but its transcript and output are not. Restore it from a backup, or retry the run`,
    { cause },
  );

export const unknownProblem = ({
  evaluationId,
  problemId,
}: Pick<LogEntry, "evaluationId" | "problemId">): EvaluatorError =>
  new EvaluatorError(
    "store.unknown_problem",
    `${evaluationId} was not created with the problem ${problemId}; create it before saving its entries`,
  );

export const unknownEvaluation = (id: EvaluationId): EvaluatorError =>
  new EvaluatorError(
    "store.unknown_evaluation",
    `The store has no evaluation ${id}; list the evaluations to see those that it has`,
  );

/** Turns what SQLite and the file system report into an error that says where and what to do next. */
export function storeError(cause: unknown, place: string): unknown {
  const trouble = troubleOf(cause);
  if (trouble === null) return cause;
  const { code, what, next } = TROUBLES[trouble];
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new EvaluatorError(code, `The store at ${place} ${what} (${detail}). ${next}`, { cause });
}

/** Does the work; what it throws says where it happened. */
export function guard<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw storeError(cause, place);
  }
}

const TROUBLES = {
  full: {
    code: "store.full",
    what: "is full: no disk space or quota is left",
    next: "Free some space and resume the evaluation; every entry saved so far is kept.",
  },
  readOnly: {
    code: "store.read_only",
    what: "is not writable",
    next: "Give this user the right to write there, or choose another folder for the store.",
  },
  busy: {
    code: "store.busy",
    what: "was locked by another process for too long",
    next: "Look for a process that keeps it locked, then try again.",
  },
  damaged: {
    code: "store.unusable",
    what: "holds a file that is damaged or is not an Agent Evaluator database",
    next: "Move evaluations.sqlite away to start afresh, or restore it from a backup.",
  },
  unknownProblem: {
    code: "store.unknown_problem",
    what: "got an entry of a problem that the evaluation was not created with",
    next: "Create the evaluation with its problems before saving entries.",
  },
  unusable: {
    code: "store.unusable",
    what: "cannot be used",
    next: "Check that the path is a folder on a working disk and within its quota, or choose another folder for the store.",
  },
} as const;

type Trouble = keyof typeof TROUBLES;

function troubleOf(cause: unknown): Trouble | null {
  if (!(cause instanceof Error)) return null;
  if ("errcode" in cause && typeof cause.errcode === "number") return sqliteTrouble(cause.errcode);
  if ("syscall" in cause && "code" in cause) return FILE_TROUBLES.get(String(cause.code)) ?? "unusable";
  return null;
}

const FOREIGN_KEY = 787;

/** The low byte is the primary result code of https://sqlite.org/rescode.html. */
function sqliteTrouble(code: number): Trouble {
  if (code === FOREIGN_KEY) return "unknownProblem";
  return SQLITE_TROUBLES.get(code & 0xff) ?? "unusable";
}

const SQLITE_TROUBLES = new Map<number, Trouble>([
  [3, "readOnly"],
  [5, "busy"],
  [6, "busy"],
  [8, "readOnly"],
  [11, "damaged"],
  [13, "full"],
  [26, "damaged"],
]);

const FILE_TROUBLES = new Map<string, Trouble>([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EFBIG", "full"],
  ["EACCES", "readOnly"],
  ["EPERM", "readOnly"],
  ["EROFS", "readOnly"],
]);
