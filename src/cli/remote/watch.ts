import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { isInterrupted } from "../../engine/local/owner.ts";
import { systemClock } from "../../engine/system.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import { evaluationReport } from "../../statistics/report.ts";
import { EXIT } from "../errors.ts";
import type { EvaluationReader } from "../find-evaluation.ts";
import type { Host } from "../host.ts";
import type { Output } from "../output/outputs.ts";
import { wholeEntries, writeDocument } from "../pages/document.ts";
import { FailureGroups } from "../pages/failures.ts";
import { nextLines, resumeStep } from "../pages/next-steps.ts";
import { statsTable } from "../pages/stats-table.ts";
import { summaryLines } from "../pages/summary.ts";
import type { Interruption } from "../process.ts";
import { chooseReporter, type ShownOn } from "../reporters/choose-reporter.ts";
import { judgeStats } from "../run/gates.ts";
import { alsoTell, type JobOutcome } from "../run/run-job.ts";
import { printLines, printWhole } from "../screen.ts";
import { commandFor } from "../store.ts";
import { BLANK } from "../text/line.ts";
import { followEvaluation } from "./follow.ts";
import type { Place } from "./open-reader.ts";

export interface WatchFlags extends Place {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly "min-accuracy"?: number | undefined;
}

export interface Watching extends ShownOn {
  readonly host: Host;
  readonly flags: WatchFlags;
  readonly reader: EvaluationReader;
  readonly interruption: Interruption;
  /** Files that are to be written when it has ended. */
  readonly outputs?: Output;
}

/** Shows an evaluation that runs elsewhere as one that runs here, and answers with the exit code. */
export async function watchEvaluation(
  watching: Watching,
  id: EvaluationId,
  { doneBefore }: { readonly doneBefore?: number } = {},
): Promise<number> {
  const { host, flags, reader, interruption } = watching;
  const outcome = await follow(watching, id, doneBefore);
  const code = interruption.exitCode();
  const isLost = isInterruptedHere(flags, outcome.record);
  if (code !== null && outcome.record.status === "running" && !isLost) {
    const again = commandFor(host, flags.store, flags.remote)(`watch ${id}`);
    printWhole(host.stderr, [[["The evaluation goes on. See it again with: "], [again, "cyan"]]]);
    return code;
  }
  await watching.outputs?.add({ ...outcome, against: null, store: reader });
  if (flags.json) {
    const { record, stats, report } = outcome;
    await writeDocument(host.stdout, { evaluation: record, stats, report, logs: wholeEntries(reader, id) });
    host.stdout.write("\n");
  } else printOutcome(watching, outcome);
  if (!isLost) return judge(watching, outcome);
  const { words } = resumeStep(outcome.record, commandFor(host, flags.store));
  printWhole(host.stderr, [[["The process of the evaluation is gone. Go on with: "], [words, "cyan"]]]);
  return code ?? EXIT.broke;
}

/** Of a process behind an API only that API knows. */
const isInterruptedHere = ({ remote }: WatchFlags, record: EvaluationRecord): boolean =>
  remote === undefined && isInterrupted(record);

async function follow(
  watching: Watching,
  id: EvaluationId,
  doneBefore: number | undefined,
): Promise<JobOutcome> {
  const { flags, reader, interruption } = watching;
  const failures = new FailureGroups();
  const outcomes = new Outcomes();
  using shown = chooseReporter(watching);
  const outcome = await followEvaluation({
    reader,
    id,
    ...(doneBefore === undefined ? {} : { doneBefore }),
    listener: alsoTell(shown.reporter.listener, { failures, outcomes, onBegun: () => {} }),
    clock: systemClock,
    isInterrupted: (record) => isInterruptedHere(flags, record),
    signal: interruption.signal,
  });
  return { ...outcome, failures, outcomes, report: evaluationReport(outcomes), resumed: null };
}

function printOutcome({ host, flags }: Watching, outcome: JobOutcome): void {
  const { record, stats, report, failures } = outcome;
  const width = host.stdout.columns;
  if (flags.quiet) return printLines(host.stdout, statsTable(stats, report, width));
  printLines(host.stdout, [BLANK, ...summaryLines({ ...outcome, width })]);
  const command = commandFor(host, flags.store, flags.remote);
  printWhole(host.stdout, nextLines({ record, stats, failures, width, command }));
}

function judge(watching: Watching, { record, stats }: JobOutcome): number {
  if (record.status === "broken") return EXIT.broke;
  return record.status === "finished" ? judgeStats(watching, stats) : EXIT.done;
}
