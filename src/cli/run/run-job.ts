import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import type { EvaluationListener, EvaluationOutcome, StartInfo } from "../../engine/local-evaluation.ts";
import type { DefinitionBundle } from "../../isolation/bundle.ts";
import { FailureGroups } from "../report/failure-groups.ts";
import type { Resumed } from "../report/title-line.ts";
import { chooseReporter } from "./choose-reporter.ts";
import type { Job } from "./job.ts";
import { mergeOptions, selection } from "./merge-options.ts";
import type { Session } from "./session.ts";

export interface LoadedJob extends Job {
  readonly options: EvaluationOptions;
  readonly bundle: DefinitionBundle;
}

export interface JobOutcome extends EvaluationOutcome {
  readonly failures: FailureGroups;
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
  const { runEvaluation } = await import("../../run-evaluation.ts");
  const failures = new FailureGroups();
  using shown = chooseReporter(session);
  const outcome = await runEvaluation({
    options: mergeOptions(job.options, flags, job.resumed),
    bundle: job.bundle,
    file: job.file,
    store,
    ...(job.resumed === null ? { select: selection(flags) } : { resume: job.resumed.id }),
    signal,
    listener: alsoTell(shown.reporter.listener, {
      failures,
      onBegun: ({ record, alreadyDone }) => {
        doneBefore = alreadyDone;
        onBegun(record);
      },
    }),
  });
  const tookSeconds = (host.nowMs() - startedAtMs) / 1_000;
  return { ...outcome, failures, resumed: job.resumed === null ? null : { doneBefore, tookSeconds } };
}

interface Told {
  readonly failures: FailureGroups;
  readonly onBegun: (info: StartInfo) => void;
}

const alsoTell = (listener: EvaluationListener, { failures, onBegun }: Told): EvaluationListener => ({
  ...listener,
  started(info) {
    onBegun(info);
    listener.started?.(info);
  },
  entry(entry) {
    failures.add(entry);
    listener.entry?.(entry);
  },
});
