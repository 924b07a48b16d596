import { resolve, sep } from "node:path";
import type { Metafile } from "esbuild";

/** The user's own files in a bundle: neither packages nor ours nor made up by us. */
export function userInputs(metafile: Metafile, root: string, ownFolder: string): string[] {
  return Object.keys(metafile.inputs)
    .filter((input) => input !== "agent-evaluator-entry")
    .map((input) => resolve(root, input))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`) && !file.startsWith(ownFolder + sep));
}
