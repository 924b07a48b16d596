import { type Failure, failure } from "../domain/failure.ts";
import type { Exit } from "./child-process.ts";

/** What it means that a process ended before it answered. */
export function explainExit(exit: Exit, stderr: string): Failure {
  if (exit.error !== null) return failure("crashed", explainRefusal(exit.error));
  if (exit.signal !== null && /JavaScript heap out of memory|Allocation failed/.test(stderr)) {
    return failure(
      "out_of_memory",
      "the run's process ran out of heap memory; raise limits.memoryMb if it needs more",
    );
  }
  if (exit.signal !== null) {
    return failure(
      "crashed",
      `the run's process was killed by ${exit.signal}, which the evaluator did not send`,
    );
  }
  if (exit.code === 0) return failure("no_answer", "the agent ended its process before it answered");
  // Imported by a module bundle, it is missed before any code of ours can say so.
  if (stderr.includes("No such built-in module: node:sqlite"))
    return failure(
      "agent_error",
      "a run may not use node:sqlite; `trusted: true` in the evaluation allows it",
    );
  return failure("agent_error", `the agent ended its process with exit code ${exit.code} before it answered`);
}

const NEXT_STEPS: Readonly<Record<string, string>> = {
  EMFILE: "lower the concurrency, or allow more open files (ulimit -n)",
  ENFILE: "lower the concurrency, or allow the machine more open files",
  EAGAIN: "lower the concurrency, or allow more processes (ulimit -u)",
};

function explainRefusal({ code = "", message }: NodeJS.ErrnoException): string {
  const next = NEXT_STEPS[code];
  return `the run's process could not be started: ${message}${next === undefined ? "" : `; ${next}`}`;
}
