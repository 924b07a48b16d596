import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { UsageError } from "../usage-error.ts";

/** Runs, or verdicts, of two evaluations under one id would add up to nothing. */
export function checkSameEvaluation(
  command: string,
  file: string,
  name: string,
  stored: EvaluationRecord | null,
): void {
  if (stored === null || stored.name === name) return;
  const origin = stored.file === null ? "" : ` (it was started from ${stored.file})`;
  throw new UsageError(
    `${file} defines "${name}", but ${stored.id} is an evaluation of "${stored.name}"${origin}; ` +
      "give the file that defines it.",
    command,
  );
}
