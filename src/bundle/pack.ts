import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { EvaluatorError } from "../domain/errors.ts";
import { sha256 } from "../system/digest.ts";
import type { PackedBundle } from "./bundle.ts";
import { buildDefinition, NODE_MODULE } from "./esbuild-options.ts";
import { isNativePackage } from "./externals-plugin.ts";
import {
  findEntry,
  foldersUp,
  nearestPackageFolder,
  type OwnPackage,
  ownPackage,
  showPath,
} from "./places.ts";

export interface Packing {
  readonly about: PackedBundle;
  /** The folder that the package stands for. */
  readonly root: string;
  /** What to write, by its path in the package. */
  readonly files: ReadonlyMap<string, string>;
  /** Folders of compiled packages, which have to be installed for the machine that it runs on. */
  readonly compiled: readonly string[];
}

interface PackOptions {
  readonly childModule: string;
  /** Where the package will be unpacked. */
  readonly place: string;
}

/** Bundles a definition for another machine, where everything in it believes to be at its old place in `place`. */
export async function packBundle(entry: string, { childModule, place }: PackOptions): Promise<Packing> {
  const user = await findEntry(entry);
  const own = ownPackage(childModule);
  const root = projectFolder(user.file);
  const folder = join("definitions", hashOf(relative(root, user.file)));
  const outfile = join(root, folder, "bundle.mjs");
  const { outputFiles, found, left, shifts } = await buildDefinition({
    user,
    own,
    format: "module",
    outfile,
  });
  const packages = [...found].map((file) => ({ file, folder: nearestPackageFolder(dirname(file)) ?? "" }));
  const compiled = packages.filter((found) => isNativePackage(found.folder));
  const lazy = packages.filter((found) => !compiled.includes(found)).map(({ file }) => file);
  for (const file of found) if (!file.startsWith(root + sep)) throw outside(file, root);
  const moved = (text: string) => moveTo(place, root, text);
  return {
    about: {
      file: join(folder, "bundle.mjs"),
      readable: [relative(root, dirname(user.file)), folder, "node_modules"],
      shifts: [...shifts].map(([path, shift]) => [moved(path), shift]),
      ownFolder: moved(own.folder),
    },
    root,
    files: new Map([
      ...outputFiles.map(({ path, text }) => [relative(root, path), moved(text)] as const),
      ...(await packLazyPackages([...lazy, ...readersOf(left, own)], root)),
    ]),
    compiled: [...new Set(compiled.map((found) => found.folder))],
  };
}

/** Of our own files only what reads a definition's problems is asked for through its bundle. */
const readersOf = (left: ReadonlySet<string>, { folder }: OwnPackage): string[] =>
  [...left].filter((file) => file.startsWith(join(folder, "datasets") + sep));

/** The outermost folder that packages may be installed in. */
function projectFolder(file: string): string {
  const signs = ["package.json", "node_modules"];
  const folders = foldersUp(dirname(file)).filter((folder) =>
    signs.some((sign) => existsSync(join(folder, sign))),
  );
  return folders.at(-1) ?? dirname(file);
}

function moveTo(place: string, root: string, text: string): string {
  const moves = [
    [`${pathToFileURL(root).href}/`, `${pathToFileURL(place).href}/`],
    [`${root}${sep}`, `${place}/`],
    [JSON.stringify(root), JSON.stringify(place)],
  ] as const;
  return moves.reduce((rest, [from, to]) => rest.replaceAll(from, to), text);
}

const hashOf = (text: string): string => sha256(text).slice(0, 12);

const outside = (file: string, root: string) =>
  new EvaluatorError(
    "definition.outside",
    `${showPath(file)} is outside ${root}, and only what is inside can be deployed; install its package there`,
  );

/** Bundles what a run loads only when it needs it, each file at its own place, by its path from `root`. */
async function packLazyPackages(
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
