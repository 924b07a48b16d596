import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The nearest folder, from `start` upwards, that has a package.json. */
export function nearestPackageFolder(start: string): string | undefined {
  return foldersUp(start).find((folder) => existsSync(join(folder, "package.json")));
}

/** Where Node finds the package `name` for a file in `start`. */
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
