import type { Job } from "./job.ts";
import type { LoadedJob } from "./run-job.ts";

/** Loads every file before the first one runs, so that a mistake in the last is not found after hours. */
export async function loadJobs(jobs: readonly Job[], signal: AbortSignal): Promise<LoadedJob[]> {
  const { loadDefinition } = await import("../../run-evaluation.ts");
  const loaded: LoadedJob[] = [];
  for (const job of jobs) {
    // A definition that awaits for ever at its top level must not hold Ctrl-C.
    loaded.push({ ...job, ...(await unlessAborted(loadDefinition(job.path), signal)) });
  }
  return loaded;
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", stop));
}
