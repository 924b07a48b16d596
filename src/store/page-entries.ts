import * as z from "zod";
import type { LogEntry } from "../domain/log-entry.ts";
import type { EntryFilter, Page, PageRequest } from "./contract.ts";
import { cursor } from "./cursor.ts";
import type { EntrySource } from "./entry-source.ts";
import { readEntries, wantedSpan } from "./read-entries.ts";

const CURSOR = cursor("entries", z.int().nonnegative());

/** A filter that few entries pass must not make one page read them all. */
const MAX_RUNS_PER_PAGE = 5_000;

export async function pageEntries(
  source: EntrySource | null,
  filter: EntryFilter,
  page: PageRequest,
): Promise<Page<LogEntry>> {
  const start = CURSOR.read(page.cursor) ?? 0;
  if (source === null) return { items: [], next: null };
  const { from, to: end } = wantedSpan(source, filter);
  const fromIndex = Math.max(start, from);
  const toIndex = Math.min(fromIndex + MAX_RUNS_PER_PAGE, end);
  const items: LogEntry[] = [];
  for await (const entry of readEntries(source, { ...filter, fromIndex, toIndex })) {
    if (items.length === page.limit) return { items, next: CURSOR.write(entry.index) };
    items.push(entry);
  }
  return { items, next: toIndex < end ? CURSOR.write(toIndex) : null };
}
