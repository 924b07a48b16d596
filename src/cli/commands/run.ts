import type { Execute } from "../command-table.ts";
import { readSource, type Source } from "../compare/read-source.ts";
import { EXIT, UsageError } from "../errors.ts";
import { findEvalFiles, readEnvFile } from "../files.ts";
import { readFlags } from "../flags.ts";
import { keepMemoryFlat, leadWrites, listenForStop } from "../process.ts";
import { confirmCost } from "../run/confirm-cost.ts";
import { checkTogether, RunFlags } from "../run/flags.ts";
import { findJobs, loadJobs } from "../run/jobs.ts";
import type { Session } from "../run/run-job.ts";
import { runJobs } from "../run/run-jobs.ts";
import { watchLoop } from "../run/watch.ts";
import { printLines } from "../screen.ts";
import { LazyStore } from "../store.ts";
import type { Line } from "../text/line.ts";

/** Runs evaluation files. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("run", RunFlags, raw);
  checkTogether(words, flags);
  const fromEnvFile = new Set<string>();
  await readEnvFile(host.cwd, host.process.env, fromEnvFile);
  // Only the document may be on stdout, so what a definition prints goes to stderr.
  using _led = flags.json ? leadWrites([host.process.stdout], host.stderr.write) : null;
  if (flags.remote !== undefined) {
    const { runRemote } = await import("../remote/run-remote.ts");
    return runRemote({ host, flags, remote: flags.remote, words });
  }
  keepMemoryFlat();
  using interruption = listenForStop(host.process, () => session.isIdle || session.note(STOPPING));
  await using store = new LazyStore(host, flags.store);
  const note: Session["note"] = (line) => printLines(flags.json ? host.stderr : host.stdout, [line]);
  const session: Session = {
    host,
    flags,
    store,
    interruption,
    note,
    fromEnvFile,
    isIdle: false,
    baseline: null,
  };
  return await runOrStop(session, await findEvalFiles(words, host.cwd));
};

const STOPPING = [
  ["Stopping; ", "yellow"],
  ["finished runs are kept. Once more to stop at once."],
] as const satisfies Line;

async function runOrStop(session: Session, paths: readonly string[]): Promise<number> {
  const { flags, interruption } = session;
  try {
    const jobs = await findJobs(session, paths);
    session.baseline = await readBaseline(session, jobs.length);
    const loaded = flags.watch ? null : await loadJobs(session, jobs);
    const pilots = await confirmCost(session, jobs);
    if (pilots === null) return EXIT.usage;
    if (loaded === null) return await watchLoop(session, jobs);
    const paidFor = loaded.map((job) => ({ ...job, pilot: pilots.get(job.path) ?? null }));
    return await runJobs(session, paidFor, interruption.signal);
  } catch (error) {
    const code = interruption.exitCode();
    if (code !== null) return code;
    throw error;
  }
}

/** Read before anything runs, so that a mistyped one costs nothing. */
async function readBaseline({ host, flags, store }: Session, jobs: number): Promise<Source | null> {
  if (flags.baseline === undefined) return null;
  if (jobs > 1) throw new UsageError("--baseline is compared with one evaluation; give one file.", "run");
  const reader = { cwd: host.cwd, openStore: () => store.openToRead(), command: "run" };
  return readSource(reader, flags.baseline);
}
