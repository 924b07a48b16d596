import type { DefinitionBundle } from "../../bundle/bundle.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import type {
  EvaluationListener,
  EvaluationOutcome,
  StartInfo,
} from "../../engine/local/local-evaluation.ts";
import type { EvaluationSetup } from "../../local/run-evaluation.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import { type EvaluationReport, evaluationReport } from "../../statistics/report.ts";
import type { Source } from "../compare/read-source.ts";
import type { Host } from "../host.ts";
import { FailureGroups } from "../pages/failures.ts";
import { growthLine } from "../pages/next-steps.ts";
import type { Resumed } from "../pages/summary.ts";
import type { Interruption } from "../process.ts";
import { chooseReporter } from "../reporters/choose-reporter.ts";
import type { LazyStore } from "../store.ts";
import type { Line } from "../text/line.ts";
import { choiceOf, isGrowing, mergeOptions, type RunFlags } from "./flags.ts";
import type { Job } from "./jobs.ts";

export interface LoadedJob extends Job {
  readonly options: EvaluationOptions;
  readonly bundle: DefinitionBundle;
  /** A small part of it that was run to learn the cost; the rest goes on from there. */
  readonly pilot?: EvaluationId | null;
}

export interface JobOutcome extends EvaluationOutcome {
  readonly failures: FailureGroups;
  readonly outcomes: Outcomes;
  readonly report: EvaluationReport;
  /** Null when it began from nothing. */
  readonly resumed: Resumed | null;
}

/** Runs one evaluation and shows its progress; `onBegun` hears what is there to resume if it breaks. */
export async function runJob(
  session: Session,
  job: LoadedJob,
  signal: AbortSignal,
  onBegun: (record: EvaluationRecord) => void,
): Promise<JobOutcome> {
  const { host, flags, store } = session;
  const startedAtMs = host.nowMs();
  let doneBefore = 0;
  const { runEvaluation } = await import("../../local/run-evaluation.ts");
  const failures = new FailureGroups();
  const outcomes = new Outcomes();
  using shown = chooseReporter(session);
  const outcome = await runEvaluation({
    options: mergeOptions(job.options, flags, job.resumed),
    bundle: job.bundle,
    file: job.file,
    store: await store.open(),
    choice: choiceOf(flags, job.resumed),
    ...resumption(job, flags),
    signal,
    listener: alsoTell(shown.reporter.listener, {
      failures,
      outcomes,
      onBegun: ({ record, alreadyDone, total }) => {
        doneBefore = alreadyDone;
        const { id, grownFrom: from } = record;
        const isNews = from !== null && id !== job.resumed?.id && !flags.quiet;
        if (isNews)
          session.note(growthLine({ from, id, keptRuns: alreadyDone, newRuns: total - alreadyDone }));
        onBegun(record);
      },
    }),
  });
  const tookSeconds = (host.nowMs() - startedAtMs) / 1_000;
  const resumed = doneBefore === 0 && job.resumed === null ? null : { doneBefore, tookSeconds };
  return { ...outcome, failures, outcomes, report: evaluationReport(outcomes), resumed };
}

function resumption({ resumed, pilot = null }: LoadedJob, flags: RunFlags): Partial<EvaluationSetup> {
  if (resumed === null) return pilot === null ? {} : { resume: pilot, grow: true };
  return { resume: resumed.id, retryFailed: flags["retry-failed"], grow: isGrowing(flags) };
}

interface Told {
  readonly failures: FailureGroups;
  readonly outcomes: Outcomes;
  readonly onBegun: (info: StartInfo) => void;
}

/** Adds up what passes by on its way to a reporter. */
export const alsoTell = (
  listener: EvaluationListener,
  { failures, outcomes, onBegun }: Told,
): EvaluationListener => ({
  ...listener,
  started(info) {
    onBegun(info);
    outcomes.expectModels(info.models);
    listener.started?.(info);
  },
  entry(entry) {
    failures.add(entry);
    outcomes.addEntry(entry);
    listener.entry?.(entry);
  },
});

/** One call of `run`: what all its evaluations share. */
export interface Session {
  readonly host: Host;
  readonly flags: RunFlags;
  readonly store: LazyStore;
  readonly interruption: Interruption;
  /** What the models are compared with; null until it is read, or when there is none. */
  baseline: Source | null;
  /** Variables that `.env` set, and may set anew. */
  readonly fromEnvFile: Set<string>;
  /** Nothing to stop: it only waits for a file to change. */
  isIdle: boolean;
  /** Where a lasting line goes at the moment; a reporter that draws takes it over. */
  note: (line: Line) => void;
}
