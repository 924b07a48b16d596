// Loaded by the command before its compile cache: imports nothing but Node.
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes or finds the folder for code that is kept from start to start; null where it is not this user's alone. The temp
 * folder is everyone's, and whoever could write here would have the code run.
 */
export function privateFolder(): string | null {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `agent-evaluator-${uid ?? "user"}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or cannot be made, and then it is not found.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return null;
  const isOwn = uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0);
  return isOwn ? folder : null;
}
