import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { DefinitionBundle } from "./bundle.ts";
import { stackMapper } from "./stack-mapper.ts";

/** A bundle in a package; its paths begin where the package was unpacked. */
export const PackedBundle = z.object({
  file: z.string(),
  readable: z.array(z.string()),
  shifts: z.array(z.tuple([z.string(), z.object({ line: z.int(), column: z.int(), by: z.int() })])),
  ownFolder: z.string(),
});
export type PackedBundle = z.infer<typeof PackedBundle>;

export function openPackedBundle(root: string, fingerprint: string, packed: PackedBundle): DefinitionBundle {
  const file = join(root, packed.file);
  const readMap = () => readFileSync(`${file}.map`, "utf8");
  return {
    file,
    fingerprint,
    inputs: [],
    readable: packed.readable.map((path) => join(root, path)),
    mapStack: stackMapper({
      file,
      readMap,
      shifts: new Map(packed.shifts),
      ownFolder: packed.ownFolder,
    }),
  };
}
