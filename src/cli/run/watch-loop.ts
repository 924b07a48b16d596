import { relative } from "node:path";
import { plural } from "../../domain/show/format-count.ts";
import { EXIT } from "../exit-code.ts";
import { reportError } from "../report-error.ts";
import { BLANK } from "../text/line.ts";
import type { Job } from "./job.ts";
import { loadJobs } from "./load-jobs.ts";
import type { LoadedJob } from "./run-job.ts";
import { runJobs } from "./run-jobs.ts";
import type { Session } from "./session.ts";
import { nextChange } from "./watch-files.ts";

/** Runs, waits for a change in any file that went into the definitions, and runs again until Ctrl-C. */
export async function watchLoop(session: Session, jobs: readonly Job[]): Promise<number> {
  const { host, interruption } = session;
  let watched = jobs.map((job) => job.path);
  for (;;) {
    const sinceMs = Date.now();
    const loaded = await loadOrReport(session, jobs);
    if (loaded !== null) watched = [...jobs.map((job) => job.path), ...loaded.flatMap(inputsOf)];
    const restart = new AbortController();
    const stop = AbortSignal.any([interruption.signal, restart.signal]);
    const change = nextChange(watched, sinceMs, interruption.signal).finally(() => restart.abort());
    const code = loaded === null ? null : await runJobs(session, loaded, stop);
    if (interruption.signal.aborted) return code ?? interruption.exitCode() ?? EXIT.done;
    session.isIdle = !restart.signal.aborted;
    if (session.isIdle) {
      session.note(BLANK);
      session.note([[`Watching ${plural(new Set(watched).size, "file")}; Ctrl-C ends.`, "dim"]]);
    }
    const file = await change;
    // Nothing was running: leaving is the normal end of watching.
    if (file === null) return EXIT.done;
    session.isIdle = false;
    session.note([["↻ ", "cyan"], [`${relative(host.cwd, file)} changed, running again.`]]);
  }
}

const inputsOf = (job: LoadedJob): readonly string[] => job.bundle.inputs;

async function loadOrReport(session: Session, jobs: readonly Job[]): Promise<LoadedJob[] | null> {
  try {
    return await loadJobs(session, jobs);
  } catch (error) {
    if (!session.interruption.signal.aborted) reportError(error, session.host);
    return null;
  }
}
