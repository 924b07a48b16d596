// Loaded in AWS too, where nothing is built: imports no esbuild.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { stackMapper } from "./stack-mapper.ts";

/** One file that holds a definition and everything it imports; parent and children load the same one. */
export interface DefinitionBundle {
  /** The bundle, a module: `user` is the user's module; started as a child it serves runs. */
  readonly file: string;
  /** Hash of the content: the same code has the same fingerprint. */
  readonly fingerprint: string;
  /** Absolute paths of the user's files that went into it, for `--watch`. */
  readonly inputs: readonly string[];
  /** Folders that a run's process may read: the evaluation's folder and the node_modules it uses. */
  readonly readable: readonly string[];
  /** Rewrites the bundle's places in a stack into the user's own files and lines. */
  mapStack(stack: string): string;
}

/** Describes a bundle that was written before: all but its text. */
export const KeptBundle = z.object({
  file: z.string(),
  fingerprint: z.string(),
  inputs: z.array(z.string()),
  readable: z.array(z.string()),
  shifts: z.array(z.tuple([z.string(), z.object({ line: z.int(), column: z.int(), by: z.int() })])),
});
export type KeptBundle = z.infer<typeof KeptBundle>;

/** Describes a bundle in a package; its paths begin where the package was unpacked. */
export const PackedBundle = KeptBundle.pick({ file: true, readable: true, shifts: true }).extend({
  ownFolder: z.string(),
});
export type PackedBundle = z.infer<typeof PackedBundle>;

/** Opens a written bundle; `ownFolder` is where our own code was when it was built. */
export function openBundle({ shifts, ...kept }: KeptBundle, ownFolder: string): DefinitionBundle {
  const { file } = kept;
  const readMap = () => readFileSync(`${file}.map`, "utf8");
  return { ...kept, mapStack: stackMapper({ file, readMap, shifts: new Map(shifts), ownFolder }) };
}

/** Opens a bundle in a package that was unpacked at `root`. */
export function openPackedBundle(root: string, fingerprint: string, packed: PackedBundle): DefinitionBundle {
  const { file, readable, shifts, ownFolder } = packed;
  const placed = { file: join(root, file), readable: readable.map((path) => join(root, path)) };
  return openBundle({ ...placed, fingerprint, inputs: [], shifts }, ownFolder);
}
