import { resolve, sep } from "node:path";
import type { Metafile } from "esbuild";

/** Every file that went into a bundle, not what was made up by us. */
export const sourcesOf = (metafile: Metafile, root: string): string[] =>
  Object.keys(metafile.inputs)
    .filter((input) => input !== "agent-evaluator-entry")
    .map((input) => resolve(root, input));

/** The user's own files in a bundle: neither packages nor ours. */
export const userInputs = (metafile: Metafile, root: string, ownFolder: string): string[] =>
  sourcesOf(metafile, root).filter(
    (file) => !file.includes(`${sep}node_modules${sep}`) && !file.startsWith(ownFolder + sep),
  );
