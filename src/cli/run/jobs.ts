import { relative, resolve } from "node:path";
import type { DefinitionBundle } from "../../bundle/bundle.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord, OtherCommit } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { type Interruption, UsageError } from "../exit.ts";
import type { Session } from "../reporters/choose-reporter.ts";
import { findEvaluation, type LazyStore, mustExist } from "../store.ts";
import { mergeOptions, type RunFlags } from "./flags.ts";
import type { ComparedSource } from "./read-source.ts";

/** One call of `run`: what all its evaluations share. */
export interface JobSession extends Session {
  readonly flags: RunFlags;
  readonly store: LazyStore;
  readonly interruption: Interruption;
  /** The models' baseline; null until it is read, or when there is none. */
  baseline: ComparedSource | null;
  /** Variables that `.env` set, and may set anew. */
  readonly fromEnvFile: Set<string>;
  /** What a stop at this moment leaves behind, to be resumed. */
  underWay: EvaluationRecord | null;
  /** Nothing to stop: it only waits for a file to change. */
  isIdle: boolean;
}

/** One evaluation to run. */
export interface Job {
  /** Absolute. */
  readonly path: string;
  /** As it is recorded and shown: relative to the current folder. */
  readonly file: string;
  /** The evaluation to resume. */
  readonly resumed: EvaluationRecord | null;
}

export interface LoadedJob extends Job {
  readonly options: EvaluationOptions;
  readonly bundle: DefinitionBundle;
  readonly against?: OtherCommit | undefined;
  /** A small part of it that was run to learn the cost; the rest resumes it. */
  readonly pilot?: EvaluationId | null;
}

/** Loads every file before the first one runs: a mistake or a missing key in the last is not found after hours. */
export async function loadJobs(session: JobSession, jobs: readonly Job[], again = 0): Promise<LoadedJob[]> {
  const { flags, interruption } = session;
  const { loadDefinitionApart } = await import("../../local/definition-apart.ts");
  const loaded: LoadedJob[] = [];
  for (const job of jobs) {
    // A definition that awaits for ever at its top level must not hold Ctrl-C.
    loaded.push({
      ...job,
      ...(await unlessAborted(
        loadDefinitionApart(job.path, {
          again,
          isolation: flags.isolation,
          against: job.resumed?.against ?? flags.against,
        }),
        interruption.signal,
      )),
    });
  }
  for (const job of loaded) checkScripted(flags, job.options);
  await checkAll(loaded.map((job) => ({ ...job, options: mergeOptions(job.options, flags, job.resumed) })));
  return loaded;
}

async function checkAll(evaluations: readonly LoadedJob[]): Promise<void> {
  const { checkModelKeys } = await import("../../engine/definition/check-models.ts");
  const { checkOptions } = await import("../../engine/definition/read-definition.ts");
  for (const { file, options, resumed } of evaluations) {
    try {
      checkSameEvaluation(file, checkOptions(options).name, resumed);
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

/** Finds the evaluations that the files and `--resume` name. */
export async function findJobs(session: JobSession, paths: readonly string[]): Promise<Job[]> {
  const { flags, store } = session;
  const { cwd } = session.host;
  if (flags.resume === undefined) {
    return paths.map((path) => ({ path, file: relative(cwd, path), resumed: null }));
  }
  const resumed = await findEvaluation(mustExist(await store.openToRead()), flags.resume);
  session.underWay = resumed;
  if (paths.length > 1) throw new UsageError("--resume resumes one evaluation; give one file.");
  if (paths[0] === undefined && resumed.file === null) {
    throw new UsageError(`A script started ${resumed.id}; name the evaluation file to resume it with.`);
  }
  const path = paths[0] ?? resolve(cwd, resumed.file ?? "");
  return [{ path, file: relative(cwd, path), resumed }];
}

/** Refuses a file that defines another evaluation: the runs of two under one id would add up to nothing. */
export function checkSameEvaluation(file: string, name: string, stored: EvaluationRecord | null): void {
  if (stored === null || stored.name === name) return;
  const origin = stored.file === null ? "" : ` (it was started from ${stored.file})`;
  throw new UsageError(
    `${file} defines "${name}", but ${stored.id} is an evaluation of "${stored.name}"${origin}; ` +
      "give the file that defines it.",
  );
}

/** Adds the file's name to an error: of several files, the user must know which one has the mistake. */
export function nameFile(file: string, error: unknown): unknown {
  if (!(error instanceof EvaluatorError) || !OF_THE_FILE.test(error.code)) return error;
  return new EvaluatorError(error.code, `${file}: ${error.message}`, { cause: error });
}

const OF_THE_FILE = /^(options|problem)\./;

/** Refuses a scripted model of `--model` that the file has no script for: its runs could only fail. */
function checkScripted({ model }: RunFlags, { scripts, providerFactory }: EvaluationOptions): void {
  const known = Object.keys(scripts ?? {});
  if (providerFactory !== undefined || known.length === 0) return;
  const unknown = model.find((each) => each.providerKey === "scripted" && !known.includes(each.model));
  if (unknown === undefined) return;
  throw new UsageError(
    `--model scripted/${unknown.model} has no script; the file has scripts for ${known.join(", ")}.`,
  );
}
