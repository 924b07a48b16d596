import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The files of ours that other processes start: from `src` when we run from source, from `dist` when installed. */
export const childModule = (): string => ownFile("child");
export const reaperFile = (): string => ownFile("isolation/reaper");

/**
 * Beside us or above us; a function that runs live in `sst dev` is bundled into a folder of its own, from where
 * our files are found in the project.
 */
export function ownFile(name: string, from: string = import.meta.dirname): string {
  const extension = import.meta.filename.endsWith(".ts") ? ".ts" : ".js";
  // A project's own `src` may have a file of the same name.
  const places = [`${name}${extension}`, `node_modules/agent-evaluator/dist/${name}.js`, `src/${name}.ts`];
  for (let folder = from; ; folder = dirname(folder)) {
    const found = places.map((place) => join(folder, place)).find((file) => existsSync(file));
    if (found !== undefined || folder === dirname(folder))
      return found ?? join(folder, `${name}${extension}`);
  }
}

/** The folder of a deployed function's package, and places in it. */
export const taskRoot = (): string => process.env.LAMBDA_TASK_ROOT ?? process.cwd();
export const inPackage = (place: string): string => resolve(taskRoot(), place);
