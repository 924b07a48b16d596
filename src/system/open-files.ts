import { readFileSync } from "node:fs";
import { EvaluatorError } from "../domain/errors.ts";

/** Bundling alone has dozens of files open at once. */
const LEAST = 128;

/** Refuses to go on where this process may open fewer files at once than an evaluation needs. */
export function requireOpenFiles(limits = readLimits()): void {
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (most >= LEAST) return;
  throw new EvaluatorError(
    "machine.open_files",
    `a program may open only ${most} files at once here, and an evaluation needs at least ${LEAST}; ` +
      "allow more with `ulimit -n 1024`, in a new shell if this one refuses",
  );
}

/** Only Linux says it in a file; elsewhere what fails says so itself. */
function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "latin1");
  } catch {
    return "";
  }
}
