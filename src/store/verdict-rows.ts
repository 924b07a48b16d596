import { countPlanned, type RunSpan } from "../domain/run-number.ts";
import { VERDICT, type Verdict, type VerdictRow } from "../domain/verdict.ts";
import type { EntrySource } from "./entry-source.ts";
import { common, layRanges, overlaps, type Segment } from "./range-segments.ts";

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
  readonly verdicts: Verdict[];
}

/** As if no run of the row had an entry of its own. */
function beginRow(from: number, whole: RunSpan, segments: readonly Segment[]): OpenRow {
  const span = { from, to: Math.min(from + RUNS_PER_ROW, whole.to) };
  const verdicts = Array<Verdict>(Math.max(0, span.to - from)).fill(VERDICT.missing);
  for (const segment of segments.filter((each) => overlaps(each, span))) {
    const part = common(segment, span);
    verdicts.fill(VERDICT[segment.range.cause], part.from - from, part.to - from);
  }
  return { ...span, verdicts };
}

const endRow = ({ from, verdicts }: OpenRow): VerdictRow => ({ from, verdicts: verdicts.join("") });
