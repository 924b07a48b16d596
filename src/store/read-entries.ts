import * as z from "zod";
import { EvaluatorError } from "../domain/errors.ts";
import { parseJson } from "../domain/json.ts";
import { countPlanned, type RunSpan } from "../domain/plan.ts";
import { entryModelKey, type LogEntry } from "../domain/run/log-entry.ts";
import { entryOfRange } from "../domain/run/run-range.ts";
import { type EntryHead, toLogEntry } from "./entry-head.ts";
import { common, type EntrySource, layRanges, overlaps, runsOf, type Segment } from "./ranges.ts";
import type { EntryFilter, Page, PageRequest } from "./store.ts";

/** Where a page begins, as a text that says nothing to whoever holds it. */
export interface Cursor<Place> {
  write(place: Place): string;
  /** Null for a first page. */
  read(text: string | undefined): Place | null;
}

/** A cursor of one kind of page is refused by another. */
export function cursor<Place>(kind: string, place: z.ZodType<Place>): Cursor<Place> {
  const Inside = z.object({ kind: z.literal(kind), place });
  return {
    write: (value) => Buffer.from(JSON.stringify({ kind, place: value })).toString("base64url"),
    read: (text) => {
      if (text === undefined) return null;
      const inside = Inside.safeParse(parseJson(Buffer.from(text, "base64url").toString()));
      if (!inside.success) throw badCursor(text);
      return inside.data.place;
    },
  };
}

const badCursor = (text: string): EvaluatorError =>
  new EvaluatorError(
    "store.bad_cursor",
    `${JSON.stringify(text.slice(0, 100))} is no cursor of such a list; begin again without one, and pass on what a page gives as its next`,
  );

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

/** Entries as readers see them: those of runs' own, and those that ranges stand for. */
export async function* readEntries(
  source: EntrySource | null,
  filter: EntryFilter,
): AsyncGenerator<LogEntry> {
  if (source === null) return;
  const span = wantedSpan(source, filter);
  const isWanted = entryMatcher(filter);
  const segments = layRanges(source.ranges).filter((segment) => overlaps(segment, span));
  const entries =
    segments.length === 0 ? ownEntries(source, span, filter) : allEntries(source, span, segments);
  for await (const entry of entries) if (isWanted(entry)) yield entry;
}

function wantedSpan({ record }: EntrySource, { fromIndex = 0, toIndex }: EntryFilter): RunSpan {
  const planned = countPlanned(record);
  return { from: fromIndex, to: Math.min(toIndex ?? planned, planned) };
}

async function* ownEntries(
  source: EntrySource,
  span: RunSpan,
  filter: EntryFilter,
): AsyncGenerator<LogEntry> {
  for await (const head of source.heads(span, filter)) yield toLogEntry(head, await source.problemOf(head));
}

/** Whether a run is part of a range depends on every entry, also on those that a filter refuses. */
async function* allEntries(
  source: EntrySource,
  span: RunSpan,
  segments: readonly Segment[],
): AsyncGenerator<LogEntry> {
  const waiting = segments.toReversed();
  let next = span.from;
  for await (const entry of ownEntries(source, span, {})) {
    yield* fillGap(source, waiting, { from: next, to: entry.index });
    yield entry;
    next = entry.index + 1;
  }
  yield* fillGap(source, waiting, { from: next, to: span.to });
}

/** Gaps come in plan order, so a segment that ends before one is not needed again. */
async function* fillGap(source: EntrySource, waiting: Segment[], gap: RunSpan): AsyncGenerator<LogEntry> {
  if (gap.from >= gap.to) return;
  for (let next = waiting.at(-1); next !== undefined && next.from < gap.to; next = waiting.at(-1)) {
    for await (const run of runsOf(source, common(next, gap))) yield entryOfRange(next.range, run);
    if (next.to > gap.to) return;
    waiting.pop();
  }
}

type Matched = Pick<EntryHead, "runId" | "failure" | "correct" | "providerKey" | "model">;

/** Everything that a filter asks for but the span of indexes, which says what is read at all. */
function entryMatcher(filter: EntryFilter): (entry: Matched) => boolean {
  const { failed, runIds, model, correct, cause } = filter;
  const runs = runIds && new Set(runIds);
  return (entry) =>
    (failed === undefined || (entry.failure !== null) === failed) &&
    (runs === undefined || runs.has(entry.runId)) &&
    (model === undefined || entryModelKey(entry) === model) &&
    (correct === undefined || (entry.failure === null && entry.correct === correct)) &&
    (cause === undefined || entry.failure?.cause === cause);
}
