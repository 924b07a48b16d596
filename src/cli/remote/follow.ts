import type { Clock } from "../../domain/clock.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { modelKey } from "../../domain/model.ts";
import { countPlanned, type RunSpan } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { countDone, isChecking, isUnchecked, VERDICT } from "../../domain/run/verdict.ts";
import { StatsFold } from "../../domain/stats/stats.ts";
import type { EvaluationListener, EvaluationOutcome } from "../../engine/local/local-evaluation.ts";
import { type EvaluationReader, readVerdicts } from "../evaluation-reader.ts";

const SHORTEST_POLL_MS = 500;
const LONGEST_POLL_MS = 5_000;
/** Runs between two new ones that are cheaper to read again than to ask twice. */
const NEAR = 50;
/** The checks of a larger evaluation are reported when they have ended. */
const MOST_LOOKED_AT = 5_000;

export interface FollowOptions {
  readonly reader: EvaluationReader;
  readonly id: EvaluationId;
  /** The number of its runs that are old, for one that was started to be followed; without it they are counted. */
  readonly doneBefore?: number | undefined;
  readonly listener: EvaluationListener;
  readonly clock: Clock;
  /** Tells if the process is gone of what is still called running. */
  readonly isInterrupted: (record: EvaluationRecord) => boolean;
  /** Ends the following; the evaluation continues. */
  readonly signal: AbortSignal;
}

/**
 * Reports an evaluation that runs elsewhere as the engine reports one that runs here. Each look reads one
 * character per run, and then only the entries that are new.
 */
export async function followEvaluation(options: FollowOptions): Promise<EvaluationOutcome> {
  const { reader, listener, clock, signal } = options;
  const first = await recordOf(options);
  const models = first.models.map(modelKey);
  const fold = new StatsFold(models, first.problemCount * first.trials);
  const seen = new Set<number>();
  const report = (entry: LogEntry) => {
    seen.add(entry.index);
    fold.add(entry);
    listener.entry?.(entry);
  };
  let known = await readVerdicts(reader, first.id);
  const alreadyDone = options.doneBefore ?? countOld(known, first);
  listener.started?.({ record: first, total: countPlanned(first), alreadyDone, models });
  await reportNew(options, first, spansOf(known, "", seen), seen, report);
  for (let pollMs = SHORTEST_POLL_MS; ; ) {
    // Asked before the verdicts, so that whatever led to the end is among them.
    let record = await recordOf(options);
    // A process that is gone may have written its end just before.
    if (options.isInterrupted(record)) record = await recordOf(options);
    const verdicts = await readVerdicts(reader, record.id);
    const isOver = hasEnded(options, record);
    // A check may leave every verdict as it was, so that only the entries show how far it is.
    const looksAtAll = isChecking(record) && countPlanned(record) <= MOST_LOOKED_AT;
    const before = isOver || looksAtAll ? "" : known;
    const seenBefore = seen.size;
    await reportNew(options, record, spansOf(verdicts, before, seen), seen, report);
    if (isOver || signal.aborted) return { record, stats: fold.stats() };
    const isQuiet = verdicts === known && seen.size === seenBefore;
    pollMs = isQuiet ? Math.min(LONGEST_POLL_MS, pollMs * 1.5) : SHORTEST_POLL_MS;
    known = verdicts;
    await clock.sleep(pollMs, signal).catch(() => {});
  }
}

/** Counts old runs: in its first round all that ended; what failed may be running again in a later one. */
function countOld(verdicts: string, record: EvaluationRecord): number {
  if (isChecking(record)) return 0;
  if (record.round > 1) return countDone(verdicts, true);
  return [...verdicts].filter((verdict) => verdict !== VERDICT.missing).length;
}

async function recordOf({ reader, id }: FollowOptions): Promise<EvaluationRecord> {
  const record = await reader.findEvaluation(id);
  if (record !== null) return record;
  throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id} any more`);
}

const hasEnded = ({ isInterrupted }: FollowOptions, record: EvaluationRecord): boolean =>
  record.status !== "running" || isInterrupted(record);

/** Tells if an entry of an earlier round may get another one: in a round that checks every result does. */
const isOwed = (entry: LogEntry, record: EvaluationRecord): boolean =>
  isChecking(record)
    ? isUnchecked(entry, record.round)
    : entry.failure !== null && entry.round < record.round;

/** Finds where runs have ended since the last look, with close ones in one span. */
function spansOf(verdicts: string, known: string, seen: ReadonlySet<number>): RunSpan[] {
  const spans: { from: number; to: number }[] = [];
  for (let index = 0; index < verdicts.length; index++) {
    const verdict = verdicts[index];
    if (verdict === VERDICT.missing || verdict === known[index] || seen.has(index)) continue;
    const last = spans.at(-1);
    if (last !== undefined && index - last.to <= NEAR) last.to = index + 1;
    else spans.push({ from: index, to: index + 1 });
  }
  return spans;
}

async function reportNew(
  options: FollowOptions,
  record: EvaluationRecord,
  spans: readonly RunSpan[],
  seen: ReadonlySet<number>,
  report: (entry: LogEntry) => void,
): Promise<void> {
  const isOver = hasEnded(options, record);
  for (const { from, to } of spans) {
    for await (const entry of options.reader.entries(record.id, { fromIndex: from, toIndex: to })) {
      // What this round works on counts when it is done, or when the round has ended.
      const mayChange = !isOver && isOwed(entry, record);
      if (!seen.has(entry.index) && !mayChange) report(entry);
    }
  }
}
