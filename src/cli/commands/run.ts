import type { Execute } from "../command-table.ts";
import { readEnvFile } from "../env-file.ts";
import { listenForStop } from "../interruption.ts";
import { leadWrites } from "../lead-writes.ts";
import { openStore } from "../open-store.ts";
import { readFlags } from "../read-flags.ts";
import { findJobs } from "../run/job.ts";
import { loadJobs } from "../run/load-jobs.ts";
import { checkTogether, RunFlags } from "../run/run-flags.ts";
import { runJobs } from "../run/run-jobs.ts";
import type { Session } from "../run/session.ts";
import { watchLoop } from "../run/watch-loop.ts";
import { printLines } from "../screen.ts";
import type { Line } from "../text/line.ts";

/** Runs evaluation files. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("run", RunFlags, raw);
  checkTogether(words, flags);
  await readEnvFile(host.cwd, host.process.env);
  // Only the document may be on stdout, so what a definition prints goes to stderr.
  using _led = flags.json ? leadWrites([host.process.stdout], host.stderr.write) : null;
  using interruption = listenForStop(host.process, () => session.isIdle || session.note(STOPPING));
  const store = await openStore(host, flags.store);
  const note: Session["note"] = (line) => printLines(flags.json ? host.stderr : host.stdout, [line]);
  const session: Session = { host, flags, store, interruption, note, isIdle: false };
  try {
    return await runOrStop(session, words);
  } finally {
    await store.close();
  }
};

const STOPPING = [
  ["Stopping; ", "yellow"],
  ["finished runs are kept. Once more to stop at once."],
] as const satisfies Line;

async function runOrStop(session: Session, words: readonly string[]): Promise<number> {
  const { flags, interruption } = session;
  try {
    const jobs = await findJobs(session, words);
    if (flags.watch) return await watchLoop(session, jobs);
    return await runJobs(session, await loadJobs(session, jobs), interruption.signal);
  } catch (error) {
    const code = interruption.exitCode();
    if (code !== null) return code;
    throw error;
  }
}
