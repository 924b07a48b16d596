import { dirname, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildResult, Metafile } from "esbuild";
import { sha256 } from "../system/digest.ts";
import { type DefinitionBundle, type KeptBundle, openBundle } from "./bundle.ts";
import { findBundle, keepBundle, sweepBundles } from "./cache.ts";
import { asBundleError } from "./errors.ts";
import { type BundleFormat, bundleOptions, firstImport } from "./esbuild-options.ts";
import { externalsPlugin } from "./externals-plugin.ts";
import { type BundleText, bundleFolder, writeBundle } from "./files.ts";
import { findEntry, type OwnPackage, ownPackage, readableFolders, type UserEntry } from "./places.ts";
import { type Shift, sourcePlugin } from "./source-plugin.ts";

interface BundleOptions {
  /** Absolute path of the module that is evaluated before the user's and exports `serveIfChild(user)`. */
  readonly childModule: string;
  /** Where the bundle is kept; a private folder of this user by default. */
  readonly outFolder?: string;
}

/** Builds the bundle of the definition in `entry`, or throws an EvaluatorError that shows the user's mistake. */
export async function bundleDefinition(entry: string, options: BundleOptions): Promise<DefinitionBundle> {
  const user = await findEntry(entry);
  const own = ownPackage(options.childModule);
  const outFolder = await bundleFolder(options.outFolder);
  const words = [user.file, own.childModule, process.version];
  const kept = findBundle(outFolder, words) ?? (await buildAndKeep(user, own, outFolder, words));
  return openBundle(kept, own.folder);
}

async function buildAndKeep(
  user: UserEntry,
  own: OwnPackage,
  outFolder: string,
  words: readonly string[],
): Promise<KeptBundle> {
  const startedAtMs = Date.now();
  const { built, externals, shifts } = await build(user, own, outFolder);
  const fingerprint = sha256(withoutPlaces(built.text, user.root, own.root));
  // Copies of one project share a fingerprint, but each bundle holds its own absolute places.
  const name = `${fingerprint.slice(0, 32)}-${sha256(built.text).slice(0, 8)}`;
  const file = await writeBundle(outFolder, name, built);
  const bundle = {
    file,
    fingerprint,
    inputs: userInputs(built.metafile, user.root, own.folder),
    readable: readableFolders(user.file, externals, dirname(file)),
    shifts: [...shifts],
  };
  await keepBundle(outFolder, words, bundle, sourcesOf(built.metafile, user.root), startedAtMs);
  await sweepBundles(outFolder, startedAtMs);
  return bundle;
}

interface Build {
  readonly built: BundleText & { readonly metafile: NonNullable<BuildResult["metafile"]> };
  readonly externals: ReadonlySet<string>;
  readonly shifts: ReadonlyMap<string, Shift>;
}

/** A script where that is possible: not with a top-level `await`, nor with packages that have to be imported. */
async function build(user: UserEntry, own: OwnPackage, outFolder: string): Promise<Build> {
  const script = await buildAs("script", user, own, outFolder).catch(() => null);
  if (script !== null && !script.imports) return script;
  try {
    return await buildAs("module", user, own, outFolder);
  } catch (failure) {
    // Once more on the untouched sources, so that the lines shown are the user's own.
    const { build: esbuild } = await import("esbuild");
    const plugins = [externalsPlugin(own, new Set())];
    const options = { ...bundleOptions(user, own, "module"), outfile: outFile(outFolder), plugins };
    const plain = await esbuild(options).catch((error: unknown) => error);
    throw asBundleError(plain, user) ?? asBundleError(failure, user) ?? failure;
  }
}

async function buildAs(
  format: BundleFormat,
  user: UserEntry,
  own: OwnPackage,
  outFolder: string,
): Promise<Build & { readonly imports: boolean }> {
  const externals = new Set<string>();
  const shifts = new Map<string, Shift>();
  const { build: esbuild } = await import("esbuild");
  const first = format === "module" ? await firstImport(own) : "";
  const { outputFiles, metafile } = await esbuild({
    ...bundleOptions(user, own, format, first),
    outfile: outFile(outFolder),
    plugins: [externalsPlugin(own, externals), sourcePlugin(shifts)],
  });
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  const built = { format, text: textOf(".mjs"), map: textOf(".map"), metafile };
  return { built, externals, shifts, imports: importsFiles(metafile) };
}

/** Says whether the bundle imports files that stay outside of it, which a script cannot do at once. */
const importsFiles = ({ outputs }: NonNullable<BuildResult["metafile"]>): boolean =>
  Object.values(outputs).some(({ imports }) =>
    imports.some(({ path, kind }) => kind !== "dynamic-import" && path.startsWith("file:")),
  );

const outFile = (outFolder: string): string => `${outFolder}/bundle/bundle.mjs`;

/** The same code in another folder is the same code. */
function withoutPlaces(text: string, userRoot: string, ownRoot: string): string {
  const away = relative(userRoot, ownRoot);
  const places: [string, string][] = [
    [userRoot, "user:"],
    [ownRoot, "own:"],
  ];
  const inner = places
    .toSorted(([a], [b]) => b.length - a.length)
    .flatMap(([place, name]) => [
      [`${pathToFileURL(place).href}/`, name] as const,
      [JSON.stringify(`${place}/`).slice(1, -1), name] as const,
    ]);
  const outer = away.startsWith("..") ? ([[`${away}/`, "own:"]] as const) : [];
  return [...inner, ...outer].reduce((rest, [place, name]) => rest.replaceAll(place, name), text);
}

/** Every file that went into a bundle, without the entry that is generated. */
const sourcesOf = (metafile: Metafile, root: string): string[] =>
  Object.keys(metafile.inputs)
    .filter((input) => input !== "agent-evaluator-entry")
    .map((input) => resolve(root, input));

/** The user's own files in a bundle: neither packages nor ours. */
const userInputs = (metafile: Metafile, root: string, ownFolder: string): string[] =>
  sourcesOf(metafile, root).filter(
    (file) => !file.includes(`${sep}node_modules${sep}`) && !file.startsWith(ownFolder + sep),
  );
