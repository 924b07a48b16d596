import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../domain/errors.ts";

/**
 * Writes a file that only this user can read, and the folders it needs. A file has its name only once it is whole:
 * until then it is a draft, beside it or in the folder for drafts, which must be on the same disk.
 */
export async function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  draftFolder = dirname(file),
): Promise<void> {
  const draft = join(draftFolder, `${basename(file)}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`);
  try {
    await inFolder(draftFolder, () => writeFile(draft, content, { mode: 0o600, flag: "wx" }));
    await inFolder(dirname(file), () => rename(draft, file));
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {});
    throw cause;
  }
}

/** Most folders are there, so that only a missing one is made. */
async function inFolder(folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!hasCode(cause, "ENOENT")) throw cause;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await work();
  }
}
