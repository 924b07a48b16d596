import { lstat, mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasCode } from "../domain/has-code.ts";
import type { BundleFormat } from "./bundle-options.ts";
import { asScript, STARTER } from "./script-bundle.ts";

/** The folder for bundles: the given one, or one that only this user can read and write. */
export async function bundleFolder(given: string | undefined): Promise<string> {
  if (given === undefined) return realpath(await privateFolder());
  await mkdir(given, { recursive: true });
  return realpath(given);
}

export interface BundleText {
  readonly format: BundleFormat;
  readonly text: string;
  readonly map: string;
}

/** Writes a bundle and its source map into a folder of their own; a reader never sees half of one. */
export async function writeBundle(outFolder: string, name: string, bundle: BundleText): Promise<string> {
  const folder = join(outFolder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stage = await mkdtemp(join(outFolder, ".new-"));
  const files = filesOf(name, bundle);
  try {
    for (const [file, text] of files) await writeFile(join(stage, file), text);
    for (const [file] of files) await rename(join(stage, file), join(folder, file));
  } finally {
    await rm(stage, { recursive: true });
  }
  return join(folder, files.at(-1)?.[0] ?? name);
}

/** In the order in which they may appear: the last one is what is started. */
function filesOf(name: string, { format, text, map }: BundleText): [file: string, text: string][] {
  const file = format === "script" ? `${name}.cjs` : `${name}.mjs`;
  const mapped = `${text}//# sourceMappingURL=${file}.map\n`;
  const files: [string, string][] = [[`${file}.map`, map]];
  if (format === "module") return [...files, [file, mapped]];
  return [...files, [`${file}.code`, asScript(mapped)], [file, STARTER]];
}

/** The temp folder is everyone's: what another user put there under our name is not used. */
async function privateFolder(): Promise<string> {
  const uid = process.getuid?.() ?? "user";
  const folder = join(tmpdir(), `agent-evaluator-${uid}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
  return (await isPrivate(folder)) ? folder : mkdtemp(join(tmpdir(), "agent-evaluator-"));
}

async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder);
  if (!found.isDirectory()) return false;
  if (process.getuid === undefined) return true;
  return found.uid === process.getuid() && (found.mode & 0o077) === 0;
}
