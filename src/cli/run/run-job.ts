import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import type { EvaluationListener, EvaluationOutcome } from "../../engine/local-evaluation.ts";
import type { DefinitionBundle } from "../../isolation/bundle.ts";
import { FailureGroups } from "../report/failure-groups.ts";
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
}

/** Runs one evaluation and shows its progress; `onBegun` hears what is there to resume if it breaks. */
export async function runJob(
  session: Session,
  job: LoadedJob,
  signal: AbortSignal,
  onBegun: (record: EvaluationRecord) => void,
): Promise<JobOutcome> {
  const { flags, store } = session;
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
    listener: alsoTell(shown.reporter.listener, { failures, onBegun }),
  });
  return { ...outcome, failures };
}

interface Told {
  readonly failures: FailureGroups;
  readonly onBegun: (record: EvaluationRecord) => void;
}

const alsoTell = (listener: EvaluationListener, { failures, onBegun }: Told): EvaluationListener => ({
  ...listener,
  started(info) {
    onBegun(info.record);
    listener.started?.(info);
  },
  entry(entry) {
    failures.add(entry);
    listener.entry?.(entry);
  },
});
