import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { bundleOptions } from "./bundle-options.ts";
import { externalsPlugin } from "./externals-plugin.ts";
import { findEntry } from "./find-entry.ts";
import { firstImport } from "./first-import.ts";
import { isNativePackage } from "./native-package.ts";
import { type OwnPackage, ownPackage } from "./own-package.ts";
import { packLazyPackages } from "./pack-lazy-packages.ts";
import { foldersUp, nearestPackageFolder } from "./package-folder.ts";
import type { PackedBundle } from "./packed-bundle.ts";
import { showPath } from "./show-path.ts";
import { type Shift, sourcePlugin } from "./source-plugin.ts";

export interface Packing {
  readonly about: PackedBundle;
  /** The folder that the package stands for. */
  readonly root: string;
  /** What to write, by its path in the package. */
  readonly files: ReadonlyMap<string, string>;
  /** Folders of compiled packages, which have to be installed for the machine that it runs on. */
  readonly compiled: readonly string[];
}

export interface PackOptions {
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
  const found = new Set<string>();
  const left = new Set<string>();
  const shifts = new Map<string, Shift>();
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...bundleOptions(user, own, "module", await firstImport(own)),
    // As if it were written here, so that source maps name the same files from the same place in the package.
    outfile: join(root, folder, "bundle.mjs"),
    plugins: [externalsPlugin(own, found, left), sourcePlugin(shifts)],
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

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

const outside = (file: string, root: string) =>
  new EvaluatorError(
    "definition.outside",
    `${showPath(file)} lies outside of ${root}, which is what can be deployed; install its package there`,
  );
