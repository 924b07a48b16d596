import * as z from "zod";
import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluationId } from "../domain/ids.ts";
import { parseJson } from "../domain/json.ts";
import { countPlanned, type RunSpan } from "../domain/plan.ts";
import { entryModelKey, type LogEntry } from "../domain/run/log-entry.ts";
import { entryOfRange } from "../domain/run/run-range.ts";
import { type EntryHead, toLogEntry } from "./entry-head.ts";
import {
  common,
  type EntrySource,
  layRanges,
  overlaps,
  problemLookup,
  rangeRounds,
  runsOf,
  type Segment,
} from "./ranges.ts";
import type { EntryFilter, EvaluationFilter, Page, PageRequest, Store } from "./store.ts";

/** Gives the answers that all backends give alike, each from what it knows. */
export const storeReaders = (
  sourceOf: (id: EvaluationId) => EntrySource | null | Promise<EntrySource | null>,
  recordsAfter: ReadEvaluations,
) =>
  ({
    listEvaluations: (filter = {}) => listEvaluations(recordsAfter, filter),
    pageEvaluations: (filter, page) => pageEvaluations(recordsAfter, filter, page),
    async *entries(id, filter = {}) {
      yield* readEntries(await sourceOf(id), filter);
    },
    pageEntries: async (id, filter, page) => pageEntries(await sourceOf(id), filter, page),
    async rounds(id, runId) {
      const source = await sourceOf(id);
      if (source === null) return [];
      const heads = await source.rounds(runId);
      if (heads.length === 0) return rangeRounds(source, runId);
      const problemOf = problemLookup(source);
      return Promise.all(heads.map(async (head) => toLogEntry(head, await problemOf(head))));
    },
  }) satisfies Partial<Store>;

/** Where an evaluation stands among others, newest first. */
const EvaluationPlace = z.object({ startedMs: z.int(), id: EvaluationId });
export type EvaluationPlace = z.infer<typeof EvaluationPlace>;

/** The next evaluations after a place, or the newest; fewer than asked for when nothing follows. */
export type ReadEvaluations = (
  name: string | undefined,
  after: EvaluationPlace | null,
  limit: number,
) => Promise<readonly EvaluationRecord[]>;

/** Where a page begins, as a text that says nothing to whoever holds it. */
interface Cursor<Place> {
  write(place: Place): string;
  /** Null for a first page. */
  read(text: string | undefined): Place | null;
}

/** A cursor of one kind of page is refused by another. */
function cursor<Place>(kind: string, place: z.ZodType<Place>): Cursor<Place> {
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
    `${JSON.stringify(text.slice(0, 100))} is not a cursor of this list; start again without one, and pass the next of the last page`,
  );

const EVALUATIONS_CURSOR = cursor("evaluations", EvaluationPlace);
const RECORDS_PER_READ = 100;
/** A tag that few evaluations have must not make one page read them all. */
const READS_PER_PAGE = 10;

async function pageEvaluations(
  readAfter: ReadEvaluations,
  filter: Omit<EvaluationFilter, "limit">,
  page: PageRequest,
): Promise<Page<EvaluationRecord>> {
  const items: EvaluationRecord[] = [];
  let after = EVALUATIONS_CURSOR.read(page.cursor);
  for (let reads = 0; reads < READS_PER_PAGE; reads++) {
    const records = await readAfter(filter.name, after, RECORDS_PER_READ);
    for (const record of records) {
      if (items.length === page.limit) return { items, next: after && EVALUATIONS_CURSOR.write(after) };
      if (isWanted(record, filter)) items.push(record);
      after = placeOf(record);
    }
    if (records.length < RECORDS_PER_READ) return { items, next: null };
  }
  return { items, next: after && EVALUATIONS_CURSOR.write(after) };
}

async function listEvaluations(
  readAfter: ReadEvaluations,
  { limit = Number.POSITIVE_INFINITY, ...filter }: EvaluationFilter,
): Promise<readonly EvaluationRecord[]> {
  const found: EvaluationRecord[] = [];
  for (let next: string | null | undefined; next !== null && found.length < limit; ) {
    const page = { limit: limit - found.length, ...(next === undefined ? {} : { cursor: next }) };
    const { items, next: following } = await pageEvaluations(readAfter, filter, page);
    found.push(...items);
    next = following;
  }
  return found;
}

export const placeOf = ({ startedAt, id }: EvaluationRecord): EvaluationPlace => ({
  startedMs: Date.parse(startedAt),
  id,
});

const isWanted = (record: EvaluationRecord, { tag, status }: EvaluationFilter): boolean =>
  (tag === undefined || record.tags.includes(tag)) && (status === undefined || record.status === status);

const ENTRIES_CURSOR = cursor("entries", z.int().nonnegative());

/** A filter that few entries pass must not make one page read them all. */
const MAX_RUNS_PER_PAGE = 5_000;

async function pageEntries(
  source: EntrySource | null,
  filter: EntryFilter,
  page: PageRequest,
): Promise<Page<LogEntry>> {
  const start = ENTRIES_CURSOR.read(page.cursor) ?? 0;
  if (source === null) return { items: [], next: null };
  const { from, to: end } = wantedSpan(source, filter);
  const fromIndex = Math.max(start, from);
  const toIndex = Math.min(fromIndex + MAX_RUNS_PER_PAGE, end);
  const items: LogEntry[] = [];
  for await (const entry of readEntries(source, { ...filter, fromIndex, toIndex })) {
    if (items.length === page.limit) return { items, next: ENTRIES_CURSOR.write(entry.index) };
    items.push(entry);
  }
  return { items, next: toIndex < end ? ENTRIES_CURSOR.write(toIndex) : null };
}

/** Entries as readers see them: those of runs' own, and those that ranges stand for. */
async function* readEntries(source: EntrySource | null, filter: EntryFilter): AsyncGenerator<LogEntry> {
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
  const problemOf = problemLookup(source);
  for await (const head of source.heads(span, filter)) yield toLogEntry(head, await problemOf(head));
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
