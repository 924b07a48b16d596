import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { foldersUp, nearestPackageFolder } from "./package-folder.ts";

/** The folders that a run's process needs: the evaluation's, its packages', and the bundle's own. */
export function readableFolders(userFile: string, externals: Iterable<string>, bundle: string): string[] {
  const home = dirname(userFile);
  const installed = foldersUp(home)
    .map((folder) => join(folder, "node_modules"))
    .filter((folder) => existsSync(folder));
  return [...new Set([home, ...installed, ...Array.from(externals, packagesFolder), bundle])];
}

/** The outermost node_modules around an external file, or its package when it is linked in from elsewhere. */
function packagesFolder(file: string): string {
  const end = file.indexOf(`${sep}node_modules${sep}`);
  if (end >= 0) return `${file.slice(0, end)}${sep}node_modules`;
  return nearestPackageFolder(dirname(file)) ?? dirname(file);
}
