import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files of ours that other processes start: from `src` when we run from source, from `dist` when installed. */
export const childModule = (): string => ownFile("child");
export const reaperFile = (): string => ownFile("isolation/reaper");

/** Where the built dashboard is, if it was built. */
export const webFolder = (): string =>
  import.meta.filename.endsWith(".ts")
    ? join(import.meta.dirname, "../dist/web")
    : join(import.meta.dirname, "web");

function ownFile(name: string): string {
  const extension = import.meta.filename.endsWith(".ts") ? ".ts" : ".js";
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const file = join(folder, `${name}${extension}`);
    if (existsSync(file) || folder === dirname(folder)) return file;
  }
}
