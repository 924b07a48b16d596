import { relative, resolve } from "node:path";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { findEvaluation } from "../find-evaluation.ts";
import { UsageError } from "../usage-error.ts";
import type { Session } from "./session.ts";

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
