import { countPlanned, type RunSpan } from "../domain/plan.ts";
import { VERDICT, type VerdictLetter, type VerdictRow } from "../domain/run/verdict.ts";
import type { ShardStats } from "../domain/stats/shard-stats.ts";
import { common, type EntrySource, layRanges, overlaps, type Segment } from "./ranges.ts";

/** The row of every shard that is added up for the present round, and what entries say of all the others. */
export async function* shardVerdictRows(
  source: EntrySource | null,
  shards: AsyncIterable<ShardStats>,
): AsyncGenerator<VerdictRow> {
  if (source === null) return;
  let next = 0;
  for await (const { from, to, round, verdicts } of shards) {
    if (round < source.record.round || from < next) continue;
    yield* readVerdictRows(source, { from: next, to: from });
    yield { from, verdicts };
    next = to;
  }
  yield* readVerdictRows(source, { from: next, to: countPlanned(source.record) });
}

const RUNS_PER_ROW = 500;

/** The rows of a span, by default of the whole plan. */
export async function* readVerdictRows(
  source: EntrySource | null,
  span: RunSpan | null = null,
): AsyncGenerator<VerdictRow> {
  if (source === null) return;
  const whole = span ?? { from: 0, to: countPlanned(source.record) };
  const segments = layRanges(source.ranges);
  let row = beginRow(whole.from, whole, segments);
  for await (const { index, verdict } of source.verdicts(whole)) {
    for (; index >= row.to; row = beginRow(row.to, whole, segments)) yield endRow(row);
    row.verdicts[index - row.from] = verdict;
  }
  for (; row.from < whole.to; row = beginRow(row.to, whole, segments)) yield endRow(row);
}

interface OpenRow extends RunSpan {
  readonly verdicts: VerdictLetter[];
}

/** As if no run of the row had an entry of its own. */
function beginRow(from: number, whole: RunSpan, segments: readonly Segment[]): OpenRow {
  const span = { from, to: Math.min(from + RUNS_PER_ROW, whole.to) };
  const verdicts = Array<VerdictLetter>(Math.max(0, span.to - from)).fill(VERDICT.missing);
  for (const segment of segments.filter((each) => overlaps(each, span))) {
    const part = common(segment, span);
    verdicts.fill(VERDICT[segment.range.cause], part.from - from, part.to - from);
  }
  return { ...span, verdicts };
}

const endRow = ({ from, verdicts }: OpenRow): VerdictRow => ({ from, verdicts: verdicts.join("") });
