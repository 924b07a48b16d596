import type { EntryName } from "../store/store.ts";

const MOST_NAMED = 3;

/** What people are told when the store held what the evaluation had not written. */
export function foreignWarning(foreign: readonly EntryName[]): string {
  const runs = [...new Set(foreign.map(({ runId }) => runId))];
  const more = runs.length > MOST_NAMED ? ` and ${runs.length - MOST_NAMED} more` : "";
  return (
    `this evaluation did not write ${foreign.length} of the log entries that the store held for ` +
    `${runs.length === 1 ? "run" : "runs"} ${runs.slice(0, MOST_NAMED).join(", ")}${more}; they do not count. ` +
    "Something other than the evaluator can write to the store, maybe an agent: read the transcripts of this " +
    "evaluation, and keep the store where its agents cannot write"
  );
}

/** Why a run has no verdict whose own entry was not left as it was. */
export const ENTRY_CHANGED =
  "the log entry of this run was changed by something other than the evaluator, so it does not count; " +
  "run it again with --resume --retry-failed";
