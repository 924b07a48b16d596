import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of the package this file is in, wherever a build put the file. */
export function readVersion(folder: string = import.meta.dirname): string {
  const file = join(folder, "package.json");
  if (existsSync(file)) {
    const { name, version } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
    if (name === "agent-evaluator") return version ?? "unknown";
  }
  const above = dirname(folder);
  return above === folder ? "unknown" : readVersion(above);
}

/** Where our package.json is: above `src` and above `dist`, wherever in them a build put this file. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
