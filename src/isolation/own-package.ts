import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nearestPackageFolder } from "./package-folder.ts";

/** Our own package, as it is installed or checked out. */
export interface OwnPackage {
  readonly childModule: string;
  /** Folder of our code: `src` when it runs from source, `dist` when it is installed. */
  readonly folder: string;
  /** Folder of our package.json. */
  readonly root: string;
  readonly name: string;
}

export function ownPackage(childModule: string): OwnPackage {
  const folder = dirname(childModule);
  const root = nearestPackageFolder(folder) ?? folder;
  return { childModule, folder, root, name: nameOf(root) };
}

function nameOf(root: string): string {
  const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name?: unknown };
  return typeof name === "string" ? name : "agent-evaluator";
}
