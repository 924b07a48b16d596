import type { EvaluationId } from "../../domain/ids.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import { wholeEntry } from "../../engine/whole-entry.ts";
import type { EntryFilter, Store } from "../../store/contract.ts";

/** Entries in plan order, each with its result. */
export async function* wholeEntries(
  store: Pick<Store, "entries" | "readBody">,
  id: EvaluationId,
  filter: EntryFilter = {},
): AsyncGenerator<LogEntry> {
  for await (const entry of store.entries(id, filter)) yield wholeEntry(store, entry);
}
