import type { EvaluationId } from "../../domain/ids.ts";
import type { EvaluationListener, EvaluationOutcome } from "../../engine/local/local-evaluation.ts";
import { isInterrupted } from "../../engine/local/owner.ts";
import { systemClock } from "../../system/clock.ts";
import { EXIT } from "../errors.ts";
import type { EvaluationReader } from "../evaluation-reader.ts";
import type { Output } from "../output/output-file.ts";
import { resumeStep } from "../pages/next-steps.ts";
import type { Interruption } from "../process.ts";
import { chooseReporter, type Session } from "../reporters/choose-reporter.ts";
import { documentWriter, type FinishSession, finishEvaluation } from "../run/finish.ts";
import { EntryFold } from "../run/fold-entries.ts";
import { printWhole } from "../screen.ts";
import { commandFor } from "../store.ts";
import { type FollowOptions, followEvaluation } from "./follow.ts";

export interface WatchSession extends Session {
  readonly flags: FinishSession["flags"];
  readonly reader: EvaluationReader;
  readonly interruption: Interruption;
  /** Files that are to be written when it has ended. */
  readonly outputs?: Output;
}

/** Shows an evaluation that runs elsewhere as one that runs here, and returns the exit code. */
export async function watchEvaluation(
  session: WatchSession,
  id: EvaluationId,
  doneBefore?: number,
): Promise<number> {
  const { host, flags, reader, interruption, outputs } = session;
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
  const code = await finishEvaluation(session, finished, { documents, outputs, position: null });
  documents?.end();
  if (!isLost(record)) return code;
  const { words } = resumeStep(record, commandFor(host, flags));
  printWhole(host.stderr, [[["The process of the evaluation is gone. Resume with: "], [words, "cyan"]]]);
  return stopped ?? EXIT.broke;
}

/** Follows an evaluation with the reporter that suits the session; `fold` gets all that the reporter gets. */
export async function followShown(
  session: Session,
  fold: { before(listener: EvaluationListener): EvaluationListener },
  options: Omit<FollowOptions, "listener" | "clock">,
): Promise<EvaluationOutcome> {
  using shown = chooseReporter(session);
  const listener = fold.before(shown.listener);
  return await followEvaluation({ ...options, listener, clock: systemClock });
}
