import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { plural } from "../../domain/show/format-count.ts";
import { ENV_FILE, readEnvFile } from "../env-file.ts";
import { EXIT } from "../exit-code.ts";
import { reportError } from "../report-error.ts";
import { BLANK } from "../text/line.ts";
import type { Job } from "./job.ts";
import { loadJobs } from "./load-jobs.ts";
import type { LoadedJob } from "./run-job.ts";
import { runJobs } from "./run-jobs.ts";
import type { Session } from "./session.ts";
import { nextChange } from "./watch-files.ts";

/** Runs, waits for a change in any file that the evaluations are made of, and runs again until Ctrl-C. */
export async function watchLoop(session: Session, jobs: readonly Job[]): Promise<number> {
  const { host, interruption } = session;
  const own = [...jobs.map((job) => job.path), join(host.cwd, ENV_FILE)];
  let watched = own;
  // Counted, so that a definition is evaluated anew when only its data or its variables changed.
  for (let again = 0; ; again++) {
    const sinceMs = Date.now();
    await readEnvFile(host.cwd, host.process.env, session.fromEnvFile);
    const loaded = await loadOrReport(session, jobs, again);
    if (loaded !== null) watched = [...own, ...loaded.flatMap(inputsOf)];
    const restart = new AbortController();
    const stop = AbortSignal.any([interruption.signal, restart.signal]);
    const change = nextChange(watched, sinceMs, interruption.signal).finally(() => restart.abort());
    const code = loaded === null ? null : await runJobs(session, loaded, stop);
    if (interruption.signal.aborted) return code ?? interruption.exitCode() ?? EXIT.done;
    session.isIdle = !restart.signal.aborted;
    if (session.isIdle) {
      session.note(BLANK);
      session.note([
        [`Watching ${plural(new Set(watched.filter(existsSync)).size, "file")}; Ctrl-C ends.`, "dim"],
      ]);
    }
    const file = await change;
    // Nothing was running: leaving is the normal end of watching.
    if (file === null) return EXIT.done;
    session.isIdle = false;
    session.note([["↻ ", "cyan"], [`${relative(host.cwd, file)} changed, running again.`]]);
  }
}

/** What the definition was made of, and the file that its problems are read from. */
const inputsOf = ({ bundle, options: { problems } }: LoadedJob): readonly string[] => {
  const file = "file" in problems ? problems.file : null;
  if (file instanceof URL && file.protocol === "file:") return [...bundle.inputs, fileURLToPath(file)];
  return typeof file === "string" ? [...bundle.inputs, resolve(file)] : bundle.inputs;
};

async function loadOrReport(
  session: Session,
  jobs: readonly Job[],
  again: number,
): Promise<LoadedJob[] | null> {
  try {
    return await loadJobs(session, jobs, again);
  } catch (error) {
    if (!session.interruption.signal.aborted) reportError(error, session.host);
    return null;
  }
}
