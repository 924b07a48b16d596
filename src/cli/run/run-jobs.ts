import { hasCode } from "../../domain/errors.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { EvaluationOutcome, StartInfo } from "../../engine/engine.ts";
import { EXIT, reportError, worseExit } from "../exit.ts";
import { openOutputs } from "../output/outputs.ts";
import { growthLine, resumeStep } from "../pages/next-steps.ts";
import { chooseReporter } from "../reporters/choose-reporter.ts";
import { listenBefore, warningLine } from "../reporters/progress.ts";
import { commandFor } from "../store.ts";
import { printLines, printWhole } from "../text/screen.ts";
import {
  compareWithBaseline,
  documentWriter,
  type FinishDeps,
  finishEvaluation,
  printAll,
} from "./finish.ts";
import { choiceOf, isGrowing, mergeOptions } from "./flags.ts";
import { type EndedEvaluation, EntryFold, foldEvaluation } from "./fold-entries.ts";
import { type JobSession, type LoadedJob, nameFile } from "./jobs.ts";
import { contentWarning, readContents } from "./read-source.ts";

/** Runs the evaluations one after another; one that breaks does not keep the next from running. */
export async function runJobs(
  session: JobSession,
  jobs: readonly LoadedJob[],
  signal: AbortSignal,
): Promise<number> {
  const { host, flags, interruption } = session;
  const documents = flags.json ? documentWriter(host.stdout, jobs.length) : null;
  const outputs = await openOutputs(host, flags, { isStep: true });
  let code: number = EXIT.done;
  const all = jobs.length === 1 ? null : [];
  for (const job of jobs) {
    if (signal.aborted) {
      printResume(session);
      break;
    }
    code = worseExit(code, await runAndFinish(session, job, signal, { documents, outputs, all }));
  }
  printAll(session, all);
  await outputs.end();
  documents?.end();
  return interruption.exitCode() ?? code;
}

async function runAndFinish(
  session: JobSession,
  job: LoadedJob,
  signal: AbortSignal,
  deps: FinishDeps,
): Promise<number> {
  const { flags, interruption } = session;
  try {
    const finished = await runJob(session, job, signal);
    // Stopped because a file changed, not by the user: the next round is about to start.
    const isReplaced = signal.aborted && !interruption.signal.aborted;
    const code = await finishEvaluation(session, finished, { ...deps, isReplaced });
    const isStopped = interruption.signal.aborted && finished.record.status !== "finished";
    // A summary names the command itself.
    if (isStopped && (flags.json || flags.quiet)) printResume(session);
    session.underWay = null;
    return code;
  } catch (error) {
    const code = reportError(nameFile(job.file, error), session.host);
    // What was not even begun here, or is another process's by now, is not for this command to go on with.
    const isOthers = session.underWay === job.resumed || hasCode(error, "evaluation.taken_over");
    if (!isOthers) printResume(session);
    session.underWay = null;
    return code;
  }
}

/** Prints how to go on with what is under way, if anything is. */
export function printResume({ host, flags, underWay }: JobSession): void {
  if (underWay === null) return;
  const { words } = resumeStep(underWay, commandFor(host, flags));
  printWhole(host.stderr, [[["Resume with: "], [words, "cyan"]]]);
}

/** Runs one evaluation and shows its progress. */
async function runJob(session: JobSession, job: LoadedJob, signal: AbortSignal): Promise<EndedEvaluation> {
  const { host, flags, baseline } = session;
  const startedAtMs = host.nowMs();
  let doneBefore = 0;
  const { runEvaluation } = await import("../../local/run-evaluation.ts");
  const fold = new EntryFold();
  using shown = chooseReporter(session);
  const store = await session.store.open();
  const started = (info: StartInfo) => {
    const { record, alreadyDone, total } = info;
    doneBefore = alreadyDone;
    const { id, grownFrom: from } = record;
    if (from !== null && id !== job.resumed?.id && !flags.quiet) {
      session.note(growthLine({ from, id, keptRuns: alreadyDone, newRuns: total - alreadyDone }));
    }
    session.underWay = record;
    fold.started(info);
  };
  const outcome = await runEvaluation({
    options: mergeOptions(job.options, flags, job.resumed),
    bundle: job.bundle,
    file: job.file,
    against: job.against,
    store,
    choice: choiceOf(flags, job.resumed),
    ...resumption(job, session),
    signal,
    listener: listenBefore({ started, entry: (entry) => fold.entry(entry) }, shown.listener),
  });
  const folded = isSeen(outcome) ? fold.finish(outcome) : await foldEvaluation(store, outcome.record);
  if (baseline !== null) {
    const contents = await readContents(store, outcome.record.id);
    const warning = contentWarning(contents, baseline.contents, baseline.name);
    if (warning !== null) printLines(host.stderr, [warningLine(warning)]);
  }
  const tookSeconds = (host.nowMs() - startedAtMs) / 1_000;
  return {
    ...folded,
    reader: store,
    against: baseline === null ? null : compareWithBaseline(folded, baseline),
    resumed: doneBefore === 0 && job.resumed === null ? null : { doneBefore, tookSeconds },
  };
}

/** Tells if every entry that counts passed by: a retry that was stopped, or whose store others wrote to, has older ones. */
const isSeen = ({ record }: EvaluationOutcome): boolean =>
  record.status === "finished" && record.foreignEntries === undefined;

function resumption(
  { resumed, pilot = null }: LoadedJob,
  { flags }: JobSession,
): { resume?: EvaluationId; retryFailed?: boolean; takeOver?: boolean; grow?: boolean } {
  if (resumed === null) return pilot === null ? {} : { resume: pilot, grow: true };
  const { "retry-failed": retryFailed, "take-over": takeOver } = flags;
  return { resume: resumed.id, retryFailed, takeOver, grow: isGrowing(flags) };
}
