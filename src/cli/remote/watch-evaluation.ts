import type { Clock } from "../../domain/clock.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { modelKey } from "../../domain/model.ts";
import { countPlanned, type RunSpan } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { countDone, isChecking, isUnchecked, VERDICT } from "../../domain/run/verdict.ts";
import { StatsFold } from "../../domain/stats/stats.ts";
import type { EvaluationListener, EvaluationOutcome } from "../../engine/engine.ts";
import { isInterrupted } from "../../local/owner.ts";
import { systemClock } from "../../system/clock.ts";
import { EXIT, type Interruption } from "../exit.ts";
import type { Outputs } from "../output/outputs.ts";
import { resumeStep } from "../pages/next-steps.ts";
import { chooseReporter, type Session } from "../reporters/choose-reporter.ts";
import { listenBefore } from "../reporters/progress.ts";
import { documentWriter, type FinishDeps, type FinishSession, finishEvaluation } from "../run/finish.ts";
import { EntryFold } from "../run/fold-entries.ts";
import { commandFor, type EvaluationReader, readVerdicts } from "../store.ts";
import { printWhole } from "../text/screen.ts";

export interface WatchSession extends Session {
  readonly flags: FinishSession["flags"];
  readonly reader: EvaluationReader;
  readonly interruption: Interruption;
  /** Files that are to be written when it has ended. */
  readonly outputs?: Outputs;
  /** Gets the evaluation, where several are watched one after another. */
  readonly all?: FinishDeps["all"];
}

/** Shows an evaluation that runs elsewhere as one that runs here, and returns the exit code. */
export async function watchEvaluation(
  session: WatchSession,
  id: EvaluationId,
  doneBefore?: number,
): Promise<number> {
  const { host, flags, reader, interruption, outputs, all = null } = session;
  // Of a process behind an API only that API knows.
  const isLost: typeof isInterrupted = (record) => flags.remote === undefined && isInterrupted(record);
  const fold = new EntryFold();
  const { signal } = interruption;
  const outcome = await followShown(session, fold, { reader, id, doneBefore, isInterrupted: isLost, signal });
  const { record } = outcome;
  const stopped = interruption.exitCode();
  if (stopped !== null && record.status === "running" && !isLost(record)) {
    const again = commandFor(host, flags)(`watch ${id}`);
    printWhole(host.stderr, [[["The evaluation continues. Watch it again with: "], [again, "cyan"]]]);
    return stopped;
  }
  const documents = flags.json ? documentWriter(host.stdout, 1) : null;
  const finished = { ...fold.finish(outcome), reader, against: null, resumed: null };
  const code = await finishEvaluation(session, finished, { documents, outputs, all });
  documents?.end();
  if (!isLost(record)) return code;
  const { words } = resumeStep(record, commandFor(host, flags));
  printWhole(host.stderr, [[["The process of the evaluation is gone. Resume with: "], [words, "cyan"]]]);
  return stopped ?? EXIT.broke;
}

/** Follows an evaluation with the reporter that suits the session; `fold` gets all that the reporter gets. */
export async function followShown(
  session: Session,
  fold: EvaluationListener,
  options: Omit<FollowOptions, "listener" | "clock">,
): Promise<EvaluationOutcome> {
  using shown = chooseReporter(session);
  const listener = listenBefore(fold, shown.listener);
  return await followEvaluation({ ...options, listener, clock: systemClock });
}

const SHORTEST_POLL_MS = 500;
const LONGEST_POLL_MS = 5_000;
/** Runs between two new ones that are cheaper to read again than to ask twice. */
const NEAR = 50;
/** The checks of a larger evaluation are reported when they have ended. */
const MOST_LOOKED_AT = 5_000;

interface FollowOptions {
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
  const fold = StatsFold.of(first);
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
