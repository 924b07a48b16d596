import { readdir, rm, stat, utimes } from "node:fs/promises";
import { basename, join } from "node:path";

/** Whoever took a build has read it long before; whoever makes one is done by then. */
const LONGEST_USE_MS = 10 * 60_000;

/** Marks a build as in use, and removes what was built of other sources and nobody has used for a while. */
export async function tidyBuilds(kept: string, current: string, now: Date): Promise<void> {
  await utimes(current, now, now);
  for (const name of await readdir(kept)) {
    if (!BUILD.test(name) || sourcesOf(name) === sourcesOf(basename(current))) continue;
    const there = await stat(join(kept, name)).catch(() => null);
    if (there === null || now.getTime() - there.mtimeMs < LONGEST_USE_MS) continue;
    await rm(join(kept, name), { recursive: true, force: true });
  }
}

/** Of any form, and what a build that never ended left behind. */
const BUILD = /^(?:web|report|new)-\w+$/;

/** The fingerprint after the form. */
const sourcesOf = (name: string): string => name.slice(name.indexOf("-") + 1);
