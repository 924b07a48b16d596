import { existsSync, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ignoreMissing } from "../../domain/errors.ts";
import { plural } from "../../domain/format.ts";
import { EXIT, reportError } from "../exit.ts";
import { ENV_FILE, readEnvFile } from "../files.ts";
import { BLANK } from "../text/screen.ts";
import { type Job, type JobSession, type LoadedJob, loadJobs } from "./jobs.ts";
import { runJobs } from "./run-jobs.ts";

/** Runs, waits for a change in any file that the evaluations are made of, and runs again until Ctrl-C. */
export async function rerunOnChange(session: JobSession, jobs: readonly Job[]): Promise<number> {
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

/** Lists the files that the definition was built from, and the one that its problems are read from. */
const inputsOf = ({ path, bundle, options: { problems } }: LoadedJob): readonly string[] => {
  const file = "file" in problems ? problems.file : null;
  if (file instanceof URL && file.protocol === "file:") return [...bundle.inputs, fileURLToPath(file)];
  if (typeof file !== "string") return bundle.inputs;
  return [...bundle.inputs, resolve(dirname(path), file), resolve(file)];
};

async function loadOrReport(
  session: JobSession,
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

/** Editors save in several steps; what follows within this time is the same change. */
const SETTLE_MS = 100;

/** Waits for a file that changed since `sinceMs`; null when the signal ends the wait. */
async function nextChange(
  files: Iterable<string>,
  sinceMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  const changed = Promise.withResolvers<string | null>();
  const folders = Map.groupBy(new Set(files), dirname);
  // Folders, because many editors replace a file instead of writing into it.
  const watchers = [...folders].map(([folder, inside]) => {
    const names = new Map(inside.map((file) => [basename(file), file]));
    return watch(folder, (_event, name) => {
      const file = name === null ? inside[0] : names.get(name);
      if (file !== undefined) setTimeout(() => changed.resolve(file), SETTLE_MS);
    }).on("error", () => {});
  });
  const stop = () => changed.resolve(null);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const missed = await changedSince([...folders.values()].flat(), sinceMs);
  if (missed !== null) changed.resolve(missed);
  return changed.promise.finally(() => {
    signal.removeEventListener("abort", stop);
    for (const watcher of watchers) watcher.close();
  });
}

/** Finds a file that was saved while the definition was being loaded, before anything watched. */
async function changedSince(files: readonly string[], sinceMs: number): Promise<string | null> {
  for (const file of files) {
    const there = await stat(file).catch(ignoreMissing);
    if (there !== null && there.mtimeMs > sinceMs) return file;
  }
  return null;
}
