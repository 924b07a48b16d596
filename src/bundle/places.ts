import { existsSync, readFileSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import * as z from "zod";
import { EvaluatorError, ignoreMissing } from "../domain/errors.ts";

/** Lists what a run's process may read: the evaluation's folder, its packages', and the bundle's own. */
export function readableFolders(
  userFiles: readonly string[],
  externals: Iterable<string>,
  bundle: string,
): string[] {
  const homes = userFiles.map((file) => dirname(file));
  const installed = homes
    .flatMap(foldersUp)
    .map((folder) => join(folder, "node_modules"))
    .filter((folder) => existsSync(folder));
  return [...new Set([...homes, ...installed, ...Array.from(externals, packagesFolder), bundle])];
}

/** The outermost node_modules around an external file, or its package when it is linked in from elsewhere. */
function packagesFolder(file: string): string {
  const end = file.indexOf(`${sep}node_modules${sep}`);
  if (end >= 0) return `${file.slice(0, end)}${sep}node_modules`;
  return nearestPackageFolder(dirname(file)) ?? dirname(file);
}

/** A user's file and the folder of the package that it is part of. */
export interface UserEntry {
  readonly file: string;
  readonly root: string;
  /** The same file in a copy of another commit, which is evaluated beside it. */
  readonly other?: OtherVersion | undefined;
}

/** A file in a copy of another commit, and the variant that it becomes. */
export interface OtherVersion {
  readonly variant: string;
  readonly file: string;
  /** The copy's top folder. */
  readonly root: string;
  /** The top folder of what it is a copy of. */
  readonly original: string;
}

export async function findEntry(entry: string): Promise<UserEntry> {
  const found = await stat(entry).catch(ignoreMissing);
  if (!found?.isFile()) {
    const why = found ? "is not a file" : "does not exist";
    throw new EvaluatorError(
      "definition.missing",
      `${showPath(entry)} ${why}; give the path of an evaluation, such as evals/first.eval.ts`,
    );
  }
  const file = await realpath(entry);
  if (file.includes("*"))
    throw new EvaluatorError(
      "definition.path",
      `${file} has a * in its path, which Node's permissions treat as a wildcard; rename that folder or file`,
    );
  return { file, root: nearestPackageFolder(dirname(file)) ?? dirname(file) };
}

const PackageNames = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
});

/** Our own package, as it is installed or checked out. */
export interface OwnPackage {
  readonly childModule: string;
  /** Folder of our code: `src` when it runs from source, `dist` when it is installed. */
  readonly folder: string;
  /** Folder of our package.json. */
  readonly root: string;
  readonly name: string;
  readonly version: string | null;
}

export function ownPackage(childModule: string): OwnPackage {
  const folder = dirname(childModule);
  const root = nearestPackageFolder(folder) ?? folder;
  const { name = "agent-evaluator", version = null } = PackageNames.parse(
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
  );
  return { childModule, folder, root, name, version };
}

/** The nearest folder, from `start` upwards, that has a package.json. */
export function nearestPackageFolder(start: string): string | undefined {
  return foldersUp(start).find((folder) => existsSync(join(folder, "package.json")));
}

/** Finds the folder of the package `name` as Node does for a file in `start`. */
export function installedPackageFolder(name: string, start: string): string | undefined {
  return foldersUp(start)
    .map((folder) => join(folder, "node_modules", name))
    .find((folder) => existsSync(join(folder, "package.json")));
}

/** `start` and every folder above it. */
export function foldersUp(start: string): string[] {
  const above = dirname(start);
  return above === start ? [start] : [start, ...foldersUp(above)];
}

/** A path as a user reads it best: relative to the working folder when inside it. */
export function showPath(file: string): string {
  const short = relative(process.cwd(), file);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? file : short;
}
