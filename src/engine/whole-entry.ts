import type { LogEntry } from "../domain/run/log-entry.ts";
import type { Store } from "../store/store.ts";

/** An entry with its result: one that is too large for the entry is fetched from the body. */
export async function wholeEntry(store: Pick<Store, "readBody">, entry: LogEntry): Promise<LogEntry> {
  if (!isResultApart(entry)) return entry;
  const body = await store.readBody(entry.evaluationId, entry.runId, entry.round);
  return body === null ? entry : { ...entry, result: body.result };
}

/** `null` itself is four bytes; a result of more that is not in the entry is in the body. */
export const isResultApart = (entry: Pick<LogEntry, "result" | "resultBytes">): boolean =>
  entry.result === null && entry.resultBytes > 4;
