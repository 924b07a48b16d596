import { checkScripted } from "./check-scripted.ts";
import type { Job } from "./job.ts";
import { mergeOptions } from "./merge-options.ts";
import { nameFile } from "./name-file.ts";
import type { LoadedJob } from "./run-job.ts";
import { checkSameEvaluation } from "./same-evaluation.ts";
import type { Session } from "./session.ts";

/** Loads every file before the first one runs: a mistake or a missing key in the last is not found after hours. */
export async function loadJobs(session: Session, jobs: readonly Job[], again = 0): Promise<LoadedJob[]> {
  const { flags, interruption } = session;
  const { loadDefinition } = await import("../../load-definition.ts");
  const loaded: LoadedJob[] = [];
  for (const job of jobs) {
    // A definition that awaits for ever at its top level must not hold Ctrl-C.
    loaded.push({ ...job, ...(await unlessAborted(loadDefinition(job.path, again), interruption.signal)) });
  }
  for (const job of loaded) checkScripted(flags, job.options);
  await checkAll(loaded.map((job) => ({ ...job, options: mergeOptions(job.options, flags, job.resumed) })));
  return loaded;
}

async function checkAll(evaluations: readonly LoadedJob[]): Promise<void> {
  const { checkModelKeys } = await import("../../engine/check-model-keys.ts");
  const { checkOptions } = await import("../../engine/read-definition.ts");
  for (const { file, options, resumed } of evaluations) {
    try {
      checkSameEvaluation("run", file, checkOptions(options).name, resumed);
    } catch (error) {
      throw nameFile(file, error);
    }
  }
  checkModelKeys(...evaluations.map(({ options }) => options));
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", stop));
}
