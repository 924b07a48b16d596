import { dirname, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Metafile } from "esbuild";
import { sha256 } from "../system/digest.ts";
import { requireOpenFiles } from "../system/open-files.ts";
import { type DefinitionBundle, type KeptBundle, openBundle } from "./bundle.ts";
import { findBundle, keepBundle, sweepBundles } from "./cache.ts";
import { asBundleError } from "./errors.ts";
import { type BundleFormat, buildDefinition, buildUntouched } from "./esbuild-options.ts";
import { bundleFolder, writeBundle } from "./files.ts";
import {
  findEntry,
  type OtherVersion,
  type OwnPackage,
  ownPackage,
  readableFolders,
  type UserEntry,
} from "./places.ts";

interface BundleOptions {
  /** Absolute path of the module that is evaluated before the user's and exports `serveIfChild(user)`. */
  readonly childModule: string;
  /** Where the bundle is kept; a private folder of this user by default. */
  readonly outFolder?: string;
  /** Another version of the file, to be evaluated beside it. */
  readonly other?: OtherVersion | undefined;
}

/** Builds the bundle of the definition in `entry`, or throws an EvaluatorError that shows the user's mistake. */
export async function bundleDefinition(entry: string, options: BundleOptions): Promise<DefinitionBundle> {
  requireOpenFiles();
  const user = { ...(await findEntry(entry)), other: options.other };
  const own = ownPackage(options.childModule);
  const outFolder = await bundleFolder(options.outFolder);
  const { variant = "", file = "" } = user.other ?? {};
  const words = [user.file, own.childModule, process.version, variant, file];
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
  const { built, found, shifts } = await build(user, own, `${outFolder}/bundle/bundle.mjs`);
  const fingerprint = sha256(withoutPlaces(built.text, user, own.root));
  // Copies of one project share a fingerprint, but each bundle holds its own absolute places.
  const name = `${fingerprint.slice(0, 32)}-${sha256(built.text).slice(0, 8)}`;
  const file = await writeBundle(outFolder, name, built);
  const bundle = {
    file,
    fingerprint,
    inputs: userInputs(built.metafile, user.root, own.folder),
    readable: readableFolders([user.file, ...(user.other ? [user.other.file] : [])], found, dirname(file)),
    shifts: [...shifts],
  };
  await keepBundle(outFolder, words, bundle, sourcesOf(built.metafile, user.root), startedAtMs);
  await sweepBundles(outFolder);
  return bundle;
}

/** A script where that is possible: not with a top-level `await`, nor with packages that have to be imported. */
async function build(user: UserEntry, own: OwnPackage, outfile: string) {
  const script = await buildAs("script", user, own, outfile).catch(() => null);
  if (script !== null && !importsFiles(script.built.metafile)) return script;
  try {
    return await buildAs("module", user, own, outfile);
  } catch (failure) {
    const plain = await buildUntouched({ user, own, format: "module", outfile }).catch((error) => error);
    throw asBundleError(plain, user) ?? asBundleError(failure, user) ?? failure;
  }
}

async function buildAs(format: BundleFormat, user: UserEntry, own: OwnPackage, outfile: string) {
  const { outputFiles, metafile, found, shifts } = await buildDefinition({ user, own, format, outfile });
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return { built: { format, text: textOf(".mjs"), map: textOf(".map"), metafile }, found, shifts };
}

/** Says whether the bundle imports files that stay outside of it, which a script cannot do at once. */
const importsFiles = ({ outputs }: Metafile): boolean =>
  Object.values(outputs).some(({ imports }) =>
    imports.some(({ path, kind }) => kind !== "dynamic-import" && path.startsWith("file:")),
  );

/** The same code in another folder is the same code. */
function withoutPlaces(text: string, { root: userRoot, other }: UserEntry, ownRoot: string): string {
  const away = relative(userRoot, ownRoot);
  const places: [string, string][] = [
    [userRoot, "user:"],
    ...(other === undefined ? [] : [[other.root, "other:"] satisfies [string, string]]),
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
