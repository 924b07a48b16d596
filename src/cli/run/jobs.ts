import { relative, resolve } from "node:path";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { UsageError } from "../errors.ts";
import { findEvaluation } from "../find-evaluation.ts";
import { mergeOptions, type RunFlags } from "./flags.ts";
import type { LoadedJob, Session } from "./run-job.ts";

/** Loads every file before the first one runs: a mistake or a missing key in the last is not found after hours. */
export async function loadJobs(session: Session, jobs: readonly Job[], again = 0): Promise<LoadedJob[]> {
  const { flags, interruption } = session;
  const { loadDefinition } = await import("../../local/load-definition.ts");
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
  const { checkModelKeys } = await import("../../engine/definition/model-keys.ts");
  const { checkOptions } = await import("../../engine/definition/read-definition.ts");
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

/** One evaluation to run. */
export interface Job {
  /** Absolute. */
  readonly path: string;
  /** As it is recorded and shown: relative to the current folder. */
  readonly file: string;
  /** The evaluation to go on with. */
  readonly resumed: EvaluationRecord | null;
}

/** What the files and `--resume` ask for. */
export async function findJobs(session: Session, paths: readonly string[]): Promise<Job[]> {
  const { host, flags, store } = session;
  if (flags.resume === undefined) return paths.map((path) => jobOf(path, host.cwd, null));
  const stored = await store.openToRead();
  if (stored === null) throw new UsageError("There is no evaluation here yet; run one first.", "run");
  const resumed = await findEvaluation(stored, flags.resume, "run");
  if (paths.length > 1) throw new UsageError("--resume goes on with one evaluation; give one file.", "run");
  const path = paths[0] ?? fileOf(resumed, host.cwd);
  return [jobOf(path, host.cwd, resumed)];
}

const jobOf = (path: string, cwd: string, resumed: EvaluationRecord | null): Job => ({
  path,
  file: relative(cwd, path),
  resumed,
});

function fileOf(record: EvaluationRecord, cwd: string): string {
  if (record.file !== null) return resolve(cwd, record.file);
  throw new UsageError(`A script started ${record.id}; name the evaluation file to go on with.`, "run");
}

/** Runs, or verdicts, of two evaluations under one id would add up to nothing. */
export function checkSameEvaluation(
  command: string,
  file: string,
  name: string,
  stored: EvaluationRecord | null,
): void {
  if (stored === null || stored.name === name) return;
  const origin = stored.file === null ? "" : ` (it was started from ${stored.file})`;
  throw new UsageError(
    `${file} defines "${name}", but ${stored.id} is an evaluation of "${stored.name}"${origin}; ` +
      "give the file that defines it.",
    command,
  );
}

/** With several files a mistake in a definition is worth little without the name of its file. */
export function nameFile(file: string, error: unknown): unknown {
  if (!(error instanceof EvaluatorError) || !OF_THE_FILE.test(error.code)) return error;
  return new EvaluatorError(error.code, `${file}: ${error.message}`, { cause: error });
}

const OF_THE_FILE = /^(options|problem)\./;

/** Refuses a scripted model of `--model` that the file has no script for: its runs could only fail. */
export function checkScripted({ model }: RunFlags, { scripts, providerFactory }: EvaluationOptions): void {
  const known = Object.keys(scripts ?? {});
  if (providerFactory !== undefined || known.length === 0) return;
  const unknown = model.find((each) => each.providerKey === "scripted" && !known.includes(each.model));
  if (unknown === undefined) return;
  throw new UsageError(
    `--model scripted/${unknown.model} has no script; the file has scripts for ${known.join(", ")}.`,
    "run",
  );
}
