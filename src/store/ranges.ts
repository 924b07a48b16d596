import { setImmediate } from "node:timers/promises";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { RunId } from "../domain/ids.ts";
import { countPlanned, placeOfRun, type Run, type RunSpan, runIdOf } from "../domain/plan.ts";
import type { Problem } from "../domain/problem.ts";
import type { LogEntry, RunBody } from "../domain/run/log-entry.ts";
import { entryOfRange, type RunRange } from "../domain/run/run-range.ts";
import { VERDICT, type VerdictLetter, type VerdictRow } from "../domain/run/verdict.ts";
import type { ShardStats } from "../domain/stats/shard-stats.ts";
import { sha256 } from "../system/digest.ts";
import { bodyOfHead, type EntryHead } from "./entry-head.ts";
import type { EntryFilter } from "./store.ts";

/** After so many runs everything else in the process gets its turn. */
const RUNS_PER_TURN = 500;

/** The runs of a span, from their numbers and the problems alone. */
export async function* runsOf(source: EntrySource, { from, to }: RunSpan): AsyncGenerator<Run> {
  const problemOf = problemLookup(source);
  for (let index = from; index < to; index++) {
    if ((index - from) % RUNS_PER_TURN === RUNS_PER_TURN - 1) await setImmediate();
    const place = placeOfRun(source.record, index);
    if (place === null) return;
    const { model, trial } = place;
    const problem = await problemOf({ index });
    yield { index, runId: runIdOf(source.record.name, model, problem, trial, sha256), model, problem, trial };
  }
}

/** Reads the problem of a run; neighbours in plan order share one, so the last is kept. */
export function problemLookup(source: EntrySource): (run: Pick<Run, "index">) => Promise<Problem> {
  const { record } = source;
  let last: { readonly position: number; readonly problem: Problem } | null = null;
  return async ({ index }) => {
    const position = placeOfRun(record, index)?.problem ?? -1;
    if (last?.position !== position) last = { position, problem: await source.problemAt(position) };
    return last.problem;
  };
}

/**
 * The rounds of a run that has no entry of its own. A run's id does not tell its number, so the runs of all
 * ranges are looked through: nobody asks this often, and an index of runs that never were would cost at every save.
 */
export async function rangeRounds(source: EntrySource, runId: RunId): Promise<readonly LogEntry[]> {
  for (const segment of layRanges(source.ranges)) {
    for await (const run of runsOf(source, segment)) {
      if (run.runId === runId) return entriesOf(source, run);
    }
  }
  return [];
}

/** The body of a round that is in no body's place: a run of a range left nothing behind. */
export function rangeBody(rounds: readonly LogEntry[], round: number): RunBody | null {
  const entry = rounds.find((each) => each.round === round);
  return entry === undefined ? null : bodyOfHead(entry);
}

function entriesOf({ ranges }: EntrySource, run: Run): readonly LogEntry[] {
  const covering = ranges.filter(({ from, to }) => from <= run.index && run.index < to);
  const byRound = new Map(covering.map((range) => [range.round, range]));
  return [...byRound.values()].sort((a, b) => a.round - b.round).map((range) => entryOfRange(range, run));
}

export interface Segment extends RunSpan {
  readonly range: RunRange;
}

/** Lays ranges side by side, in plan order; where several overlap, the one of the highest round is there. */
export function layRanges(ranges: readonly RunRange[]): readonly Segment[] {
  const edges = [...new Set(ranges.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const waiting = [...ranges].sort((a, b) => b.from - a.from);
  let open: RunRange[] = [];
  return edges.flatMap((from, number) => {
    open = open.filter(({ to }) => to > from);
    for (let last = waiting.at(-1); last?.from === from; last = waiting.at(-1)) {
      open.push(last);
      waiting.pop();
    }
    const to = edges[number + 1];
    const range = highest(open);
    return to === undefined || range === undefined ? [] : [{ from, to, range }];
  });
}

export const overlaps = (a: RunSpan, b: RunSpan): boolean => a.from < b.to && b.from < a.to;

export const common = (a: RunSpan, b: RunSpan): RunSpan => ({
  from: Math.max(a.from, b.from),
  to: Math.min(a.to, b.to),
});

const highest = (ranges: readonly RunRange[]): RunRange | undefined =>
  ranges.reduce<RunRange | undefined>(
    (best, range) => (best === undefined || range.round > best.round ? range : best),
    undefined,
  );

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

export interface RunVerdict {
  readonly index: number;
  readonly verdict: VerdictLetter;
}

/** Facts that a backend knows of one evaluation; how it looks to readers is the same for all of them. */
export interface EntrySource {
  readonly record: EvaluationRecord;
  readonly ranges: readonly RunRange[];
  /**
   * Of every run in the span that has an entry of its own the one with the highest round, in plan order.
   * Those that the filter refuses may be left out.
   */
  heads(span: RunSpan, filter: EntryFilter): AsyncIterable<EntryHead>;
  /** The results of the same runs. */
  verdicts(span: RunSpan): AsyncIterable<RunVerdict>;
  /** Every round of a run that has entries of its own, oldest first. */
  rounds(runId: RunId): readonly EntryHead[] | Promise<readonly EntryHead[]>;
  problemAt(position: number): Problem | Promise<Problem>;
}
