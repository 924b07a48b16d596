import { entryModelKey } from "../domain/log-entry.ts";
import type { EntryFilter } from "./contract.ts";
import type { EntryHead } from "./entry-head.ts";

type Matched = Pick<EntryHead, "runId" | "failure" | "correct" | "providerKey" | "model">;

/** Everything that a filter asks for but the span of indexes, which says what is read at all. */
export function entryMatcher(filter: EntryFilter): (entry: Matched) => boolean {
  const { failed, runIds, model, correct, cause } = filter;
  const runs = runIds && new Set(runIds);
  return (entry) =>
    (failed === undefined || (entry.failure !== null) === failed) &&
    (runs === undefined || runs.has(entry.runId)) &&
    (model === undefined || entryModelKey(entry) === model) &&
    (correct === undefined || (entry.failure === null && entry.correct === correct)) &&
    (cause === undefined || entry.failure?.cause === cause);
}
