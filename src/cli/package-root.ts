import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where our package.json is: above `src` and above `dist`, wherever in them a build put this file. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
