import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { EXIT, reportError, worseExit } from "../errors.ts";
import { type Output, openOutputs } from "../output/outputs.ts";
import { againstLines } from "../pages/comparison.ts";
import { wholeEntries, writeDocument } from "../pages/document.ts";
import { nextLines, resumeStep } from "../pages/next-steps.ts";
import { statsTable } from "../pages/stats-table.ts";
import { summaryLines } from "../pages/summary.ts";
import { printLines, printWhole } from "../screen.ts";
import { commandFor } from "../store.ts";
import { BLANK, type Line } from "../text/line.ts";
import { type Against, compareWithBaseline, judgeRegression, judgeStats } from "./gates.ts";
import { nameFile } from "./jobs.ts";
import { type JobOutcome, type LoadedJob, runJob, type Session } from "./run-job.ts";

/** Runs the evaluations one after another; one that breaks does not keep the next from running. */
export async function runJobs(
  session: Session,
  jobs: readonly LoadedJob[],
  signal: AbortSignal,
): Promise<number> {
  const documents = session.flags.json ? documentWriter(session, jobs.length) : null;
  const outputs = await openOutputs(session.host, session.flags, { isStep: true });
  let code: number = EXIT.done;
  for (const [at, job] of jobs.entries()) {
    if (signal.aborted) break;
    const position = jobs.length === 1 ? null : at;
    code = worseExit(code, await runAndTell(session, job, signal, { documents, outputs, position }));
  }
  await outputs.end();
  documents?.end();
  return session.interruption.exitCode() ?? code;
}

/** Where the outcomes go beside the screen. */
interface Places {
  readonly documents: DocumentWriter | null;
  readonly outputs: Output;
  /** Which of several it is, from 0; null when it is the only one. */
  readonly position: number | null;
}

async function runAndTell(
  session: Session,
  job: LoadedJob,
  signal: AbortSignal,
  { documents, outputs, position }: Places,
): Promise<number> {
  const begun = new Set<EvaluationRecord>();
  try {
    const outcome = await runJob(session, job, signal, (record) => begun.add(record));
    const against = session.baseline === null ? null : compareWithBaseline(outcome, session.baseline);
    if (documents !== null) await documents.write(outcome, against);
    else if (!isReplaced(session, signal)) printOutcome(session, outcome, against, position);
    await outputs.add({ ...outcome, against, store: await session.store.open() });
    sayHowToGoOn(session, outcome);
    return judge(session, outcome, against);
  } catch (error) {
    const code = reportError(nameFile(job.file, error), session.host);
    for (const record of begun) printResume(session, record);
    return code;
  }
}

/** Stopped because a file changed, not by the user: the next round is about to start. */
const isReplaced = (session: Session, signal: AbortSignal): boolean =>
  signal.aborted && !session.interruption.signal.aborted;

function printOutcome(
  { host, flags }: Session,
  outcome: JobOutcome,
  against: Against | null,
  position: number | null,
): void {
  const { record, stats, report, failures } = outcome;
  const width = host.stdout.columns;
  if (flags.quiet) {
    return printLines(host.stdout, [...quietTitle(record, position), ...statsTable(stats, report, width)]);
  }
  printLines(host.stdout, [BLANK, ...summaryLines({ ...outcome, width })]);
  if (against !== null && against.comparisons.length > 0) {
    printLines(host.stdout, [BLANK, ...againstLines(against.baseline, against.comparisons, width)]);
  }
  printWhole(
    host.stdout,
    nextLines({ record, stats, failures, width, command: commandFor(host, flags.store) }),
  );
}

/** One table alone needs no name; of several each has its own. */
function quietTitle({ name }: EvaluationRecord, position: number | null): Line[] {
  if (position === null) return [];
  return position === 0 ? [[[name, "bold"]]] : [BLANK, [[name, "bold"]]];
}

/** A summary says it by itself. */
function sayHowToGoOn(session: Session, { record }: JobOutcome): void {
  const { flags, interruption } = session;
  const isSaid = !flags.json && !flags.quiet;
  if (isSaid || !interruption.signal.aborted || record.status === "finished") return;
  printResume(session, record);
}

function printResume({ host, flags }: Session, record: EvaluationRecord): void {
  const { words } = resumeStep(record, commandFor(host, flags.store));
  printWhole(host.stderr, [[["Go on with: "], [words, "cyan"]]]);
}

function judge(session: Session, outcome: JobOutcome, against: Against | null): number {
  const { record, stats } = outcome;
  if (record.status === "broken") return EXIT.broke;
  if (record.status !== "finished") return isOverBudget(stats) ? EXIT.budget : EXIT.done;
  return worseExit(judgeStats(session, stats), judgeRegression(session, outcome, against));
}

const isOverBudget = (stats: JobOutcome["stats"]): boolean =>
  Object.values<ModelStats>(stats).some(({ failuresByCause }) => (failuresByCause.budget ?? 0) > 0);

export interface DocumentWriter {
  write(outcome: JobOutcome, against: Against | null): Promise<void>;
  end(): void;
}

/** One document per call: `{ evaluation, stats, report, logs }`, or `{ evaluations: […] }` when several files were given. */
export function documentWriter({ host, store }: Session, count: number): DocumentWriter {
  const isList = count > 1;
  let written = 0;
  return {
    async write({ record, stats, report }, against) {
      if (isList) host.stdout.write(written === 0 ? '{"evaluations":[' : ",");
      written++;
      await writeDocument(host.stdout, {
        evaluation: record,
        stats,
        report,
        against,
        logs: wholeEntries(await store.open(), record.id),
      });
    },
    end() {
      if (isList) host.stdout.write(written === 0 ? '{"evaluations":[]}' : "]}");
      if (isList || written > 0) host.stdout.write("\n");
    },
  };
}
