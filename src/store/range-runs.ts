import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import { type Run, runIdOf } from "../domain/plan.ts";
import type { RunBody } from "../domain/run-body.ts";
import { placeOfRun, type RunSpan } from "../domain/run-number.ts";
import { entryOfRange } from "../domain/run-range.ts";
import { bodyOfHead } from "./body-to-keep.ts";
import type { EntrySource } from "./entry-source.ts";
import { layRanges } from "./range-segments.ts";

/** After so many runs everything else in the process gets its turn. */
const RUNS_PER_TURN = 500;

/** The runs of a span, from their numbers and the problems alone. */
export async function* runsOf(source: EntrySource, { from, to }: RunSpan): AsyncGenerator<Run> {
  for (let index = from; index < to; index++) {
    if ((index - from) % RUNS_PER_TURN === RUNS_PER_TURN - 1) await setImmediate();
    const place = placeOfRun(source.record, index);
    if (place === null) return;
    const { model, trial } = place;
    const problem = await source.problemAt(place.problem);
    yield { index, runId: runIdOf(source.record.name, model, problem, trial, sha256), model, problem, trial };
  }
}

/**
 * The rounds of a run that has no entry of its own. A run's id does not tell its number, so the runs of all
 * ranges are looked through: nobody asks this often, and an index of runs that never were would cost at every save.
 */
export async function rangeRounds(source: EntrySource | null, runId: RunId): Promise<readonly LogEntry[]> {
  if (source === null) return [];
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

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
