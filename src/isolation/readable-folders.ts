import { existsSync, readdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { foldersUp, nearestPackageFolder } from "./package-folder.ts";

/** What a run's process needs: the evaluation's folder, its packages', and the bundle's own. */
export function readableFolders(userFile: string, externals: Iterable<string>, bundle: string): string[] {
  const home = dirname(userFile);
  const installed = foldersUp(home)
    .map((folder) => join(folder, "node_modules"))
    .filter((folder) => existsSync(folder));
  return [...new Set([...withoutKeys(home), ...installed, ...Array.from(externals, packagesFolder), bundle])];
}

/** Files with keys, and the store, which holds the expected answers and the keys that entries are signed with. */
const CLOSED = /^\.(?:env(?:rc|\..*)?|agent-evaluator)$/;

/** Node can only allow, so where one of these lies in the folder, everything else in it is named. */
function withoutKeys(folder: string): string[] {
  const names = readdirSync(folder);
  const others = names.filter((name) => !CLOSED.test(name));
  return others.length === names.length ? [folder] : others.map((name) => join(folder, name));
}

/** The outermost node_modules around an external file, or its package when it is linked in from elsewhere. */
function packagesFolder(file: string): string {
  const end = file.indexOf(`${sep}node_modules${sep}`);
  if (end >= 0) return `${file.slice(0, end)}${sep}node_modules`;
  return nearestPackageFolder(dirname(file)) ?? dirname(file);
}
