import type { EvaluationId } from "../../domain/ids.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import type { EntryFilter, Store } from "../../store/contract.ts";

/** Entries in plan order, each with its result: one that is too large for the entry is fetched from the body. */
export async function* wholeEntries(
  store: Store,
  id: EvaluationId,
  filter: EntryFilter = {},
): AsyncGenerator<LogEntry> {
  for await (const entry of store.entries(id, filter)) {
    const body = isResultApart(entry) ? await store.readBody(id, entry.runId, entry.round) : null;
    yield body === null ? entry : { ...entry, result: body.result };
  }
}

/** `null` itself is four bytes; a result of more that is not in the entry is in the body. */
export const isResultApart = (entry: Pick<LogEntry, "result" | "resultBytes">): boolean =>
  entry.result === null && entry.resultBytes > 4;
