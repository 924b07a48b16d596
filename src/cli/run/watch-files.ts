import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ignoreMissing } from "../../domain/has-code.ts";

/** Editors save in several steps; what follows within this time is the same change. */
const SETTLE_MS = 100;

/** Settles with the file that changed since `sinceMs`, or with null when the signal ends the wait. */
export async function nextChange(
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

/** What was saved while the file was being loaded, before anybody watched. */
async function changedSince(files: readonly string[], sinceMs: number): Promise<string | null> {
  for (const file of files) {
    const there = await stat(file).catch(ignoreMissing);
    if (there !== null && there.mtimeMs > sinceMs) return file;
  }
  return null;
}
