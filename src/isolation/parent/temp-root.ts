import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasProcessEnded, nameProcess } from "./processes.ts";

const OWNER = "owner";

/** Makes a folder of this process for the temp folders of its runs, and removes those of processes that were killed. */
export function makeTempRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-evaluator-")));
  writeFileSync(join(root, OWNER), nameProcess());
  void sweepTempRoots(tmpdir());
  return root;
}

/** What `mkdtemp` makes of the name. */
const TEMP_ROOT = /^agent-evaluator-[A-Za-z0-9]{6}$/;

/** Removes what killed processes of this user left in a folder for temporary files; never throws. */
export async function sweepTempRoots(folder: string): Promise<void> {
  const found = await readdir(folder).catch(() => []);
  for (const name of found.filter((each) => TEMP_ROOT.test(each))) await removeIfOrphaned(join(folder, name));
}

async function removeIfOrphaned(root: string): Promise<void> {
  try {
    const { uid } = await lstat(root);
    const isOurs = process.getuid === undefined || uid === process.getuid();
    if (isOurs && hasProcessEnded(readFileSync(join(root, OWNER), "utf8")))
      await rm(root, { recursive: true, force: true });
  } catch {
    // It has no owner yet, or is not ours to remove: then it stays.
  }
}
