import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes files and folders of these names that lay unchanged for so long before the folder itself last changed; never
 * throws. Both times are the disk's own, so that a clock that was set wrong removes nothing that is in use.
 */
export async function sweepFolder(folder: string, names: RegExp, unusedMs: number): Promise<void> {
  const there = await lstat(folder).catch(() => null);
  if (there === null) return;
  const found = await readdir(folder).catch(() => []);
  for (const name of found.filter((each) => names.test(each)))
    await removeIfOlder(join(folder, name), there.mtimeMs - unusedMs);
}

async function removeIfOlder(path: string, usedBeforeMs: number): Promise<void> {
  try {
    const { mtimeMs } = await lstat(path);
    if (mtimeMs < usedBeforeMs) await rm(path, { recursive: true, force: true });
  } catch {
    // Another evaluator sweeps too, or it is not ours to remove: then it stays.
  }
}
