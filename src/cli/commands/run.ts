import { defineCommand } from "../command.ts";
import { EXIT, listenForStop, UsageError } from "../exit.ts";
import { findEvalFiles, readEnvFile } from "../files.ts";
import { keepMemoryFlat, redirectWrites } from "../host.ts";
import { noteOn } from "../reporters/choose-reporter.ts";
import { checkTogether, RUN_FLAGS } from "../run/flags.ts";
import { findJobs, type JobSession, loadJobs } from "../run/jobs.ts";
import { type ComparedSource, readSource } from "../run/read-source.ts";
import { rerunOnChange } from "../run/rerun-on-change.ts";
import { printResume, runJobs } from "../run/run-jobs.ts";
import { lazyStore } from "../store.ts";
import type { Line } from "../text/screen.ts";

/** Runs evaluation files. */
export const runCommand = defineCommand({
  flags: RUN_FLAGS,
  notes: [
    "FILE is a file, a folder (its *.eval.ts) or a glob; several run in turn.",
    "With several files, --json prints { evaluations: [{ evaluation, … }, …] }.",
    "In GitHub Actions the summary is added to the step's page, unless --summary is given.",
    "--take-over is for an evaluation whose process is gone and cannot be asked; one that still works on it then stops.",
    "--against runs two variants, the file's version at REF and `current`, each with its agent, tools and the files that it imports or finds by import.meta; packages, problems, checker, models, limits and whatever is read from the current folder are those of now.",
    "With --resume, --model, --trials and the flags for problems add to its plan.",
    "API keys may be in a .env file of the current folder; variables already set take precedence.",
    "Exit codes: 0 done, 1 something broke (also: no run could be scored), 2 bad usage, 3 not good enough, 4 budget spent, 5 a gate cannot tell, 130 Ctrl-C, 143 SIGTERM (--resume runs what is left).",
  ],
  async execute(host, words, flags) {
    checkTogether(words, flags);
    const fromEnvFile = new Set<string>();
    await readEnvFile(host.cwd, host.process.env, fromEnvFile);
    // Only the document may be on stdout, so what a definition prints goes to stderr.
    using _redirected = flags.json ? redirectWrites([host.process.stdout], host.stderr.write) : null;
    if (flags.remote !== undefined) {
      const { runRemote } = await import("../remote/run-remote.ts");
      return runRemote({ host, flags, remote: flags.remote, words });
    }
    keepMemoryFlat();
    using interruption = listenForStop(
      host.process,
      () => session.isIdle || session.note(STOPPING),
      () => printResume(session),
    );
    await using store = lazyStore(host, flags.store);
    const session: JobSession = {
      host,
      flags,
      store,
      interruption,
      note: noteOn(host, flags.json),
      fromEnvFile,
      underWay: null,
      isIdle: false,
      baseline: null,
    };
    return await runOrStop(session, await findEvalFiles(words, host.cwd));
  },
});

const STOPPING = [
  ["Stopping; ", "yellow"],
  ["finished runs are kept. Once more to stop at once."],
] as const satisfies Line;

async function runOrStop(session: JobSession, paths: readonly string[]): Promise<number> {
  const { flags, interruption } = session;
  try {
    const jobs = await findJobs(session, paths);
    session.baseline = await readBaseline(session, jobs.length);
    const loaded = flags.watch ? null : await loadJobs(session, jobs);
    const { confirmCost } = await import("../run/estimate.ts");
    const pilots = await confirmCost(session, jobs);
    if (pilots === null) return EXIT.usage;
    if (loaded === null) return await rerunOnChange(session, jobs);
    const paidFor = loaded.map((job) => ({ ...job, pilot: pilots.get(job.path) ?? null }));
    return await runJobs(session, paidFor, interruption.signal);
  } catch (error) {
    const code = interruption.exitCode();
    if (code === null) throw error;
    printResume(session);
    return code;
  }
}

/** Read before anything runs, so that a mistyped one costs nothing. */
async function readBaseline(
  { host, flags, store }: JobSession,
  jobs: number,
): Promise<ComparedSource | null> {
  if (flags.baseline === undefined) return null;
  if (jobs > 1) throw new UsageError("--baseline is compared with one evaluation; give one file.");
  return readSource(host, store, flags.baseline);
}
