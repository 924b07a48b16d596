import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const DAY_MS = 86_400_000;
const UNUSED_MS = 14 * DAY_MS;

/** What we put there ourselves, by its name; a given folder may hold the user's own things too. */
const BUNDLE = /^[0-9a-f]{32}-[0-9a-f]{8}$/;
const STAGE = /^\.new-/;
const KEPT = /^[0-9a-f]{64}(\.\d+)?$/;

/** Removes the bundles that nobody used for two weeks, and what a killed evaluator left half written; never throws. */
export async function sweepBundles(outFolder: string, nowMs: number): Promise<void> {
  await Promise.all([
    sweep(outFolder, BUNDLE, nowMs - UNUSED_MS),
    sweep(outFolder, STAGE, nowMs - DAY_MS),
    sweep(join(outFolder, "kept"), KEPT, nowMs - UNUSED_MS),
  ]);
}

async function sweep(folder: string, names: RegExp, usedBeforeMs: number): Promise<void> {
  const found = await readdir(folder).catch(() => []);
  for (const name of found.filter((each) => names.test(each)))
    await removeIfOlder(join(folder, name), usedBeforeMs);
}

async function removeIfOlder(path: string, usedBeforeMs: number): Promise<void> {
  try {
    const { mtimeMs } = await lstat(path);
    if (mtimeMs < usedBeforeMs) await rm(path, { recursive: true, force: true });
  } catch {
    // Another evaluator sweeps too, or it is not ours to remove: then it stays.
  }
}
