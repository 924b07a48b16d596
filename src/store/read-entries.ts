import type { LogEntry } from "../domain/log-entry.ts";
import { countPlanned, type RunSpan } from "../domain/run-number.ts";
import { entryOfRange } from "../domain/run-range.ts";
import type { EntryFilter } from "./contract.ts";
import { toLogEntry } from "./entry-head.ts";
import { entryMatcher } from "./entry-matcher.ts";
import type { EntrySource } from "./entry-source.ts";
import { runsOf } from "./range-runs.ts";
import { common, layRanges, overlaps, type Segment } from "./range-segments.ts";

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

export function wantedSpan({ record }: EntrySource, { fromIndex = 0, toIndex }: EntryFilter): RunSpan {
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
