import { join, relative } from "node:path";
import { NODE_MODULE } from "./node-module.ts";

/** Bundles what a run loads only when it needs it, each file at its own place, by its path from `root`. */
export async function packLazyPackages(
  files: readonly string[],
  root: string,
): Promise<ReadonlyMap<string, string>> {
  if (files.length === 0) return new Map();
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    ...NODE_MODULE,
    entryPoints: [...files],
    absWorkingDir: root,
    outbase: root,
    outdir: root,
    // What they have in common they share, so that a class is the same class for all of them.
    splitting: true,
    chunkNames: "node_modules/.lazy/[name]-[hash]",
    outExtension: { ".js": ".mjs" },
    metafile: true,
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
  });
  // Each file asked for keeps its whole name, which may end in .js; nobody but the bundle knows it.
  const placeOf = (path: string) => {
    const entry = metafile.outputs[path]?.entryPoint ?? "";
    return files.includes(join(root, entry)) ? entry : path;
  };
  return new Map(outputFiles.map(({ path, text }) => [placeOf(relative(root, path)), text]));
}
