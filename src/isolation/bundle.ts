import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, extname, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions, BuildResult, Plugin } from "esbuild";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { findBundle, type KeptBundle, keepBundle } from "./bundle-cache.ts";
import { asBundleError } from "./bundle-error.ts";
import { bundleFolder, writeBundle } from "./bundle-folder.ts";
import { externalsPlugin } from "./externals-plugin.ts";
import { type OwnPackage, ownPackage } from "./own-package.ts";
import { nearestPackageFolder } from "./package-folder.ts";
import { readableFolders } from "./readable-folders.ts";
import { showPath } from "./show-path.ts";
import { locationDefines, type Shift, sourcePlugin } from "./source-plugin.ts";
import { stackMapper } from "./stack-mapper.ts";
import { sourcesOf, userInputs } from "./user-inputs.ts";

/** One file that holds a definition and everything it imports; parent and children load the same one. */
export interface DefinitionBundle {
  /** The bundle, an ES module: `user` is the user's module; started as a child it serves runs. */
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

export interface BundleOptions {
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
  const mapStack = stackMapper({
    file: kept.file,
    readMap: () => readFileSync(`${kept.file}.map`, "utf8"),
    shifts: new Map(kept.shifts),
    ownFolder: own.folder,
  });
  return { ...kept, mapStack };
}

async function buildAndKeep(
  user: UserEntry,
  own: OwnPackage,
  outFolder: string,
  words: readonly string[],
): Promise<KeptBundle> {
  const startedAtMs = Date.now();
  const externals = new Set<string>();
  const shifts = new Map<string, Shift>();
  const built = await build(user, own, outFolder, externalsPlugin(own, externals), sourcePlugin(shifts));
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
  keepBundle(outFolder, words, bundle, sourcesOf(built.metafile, user.root), startedAtMs);
  return bundle;
}

interface UserEntry {
  readonly file: string;
  readonly root: string;
}

interface Built {
  readonly text: string;
  readonly map: string;
  readonly metafile: NonNullable<BuildResult["metafile"]>;
}

async function findEntry(entry: string): Promise<UserEntry> {
  const found = await stat(entry).catch(() => undefined);
  if (!found?.isFile()) {
    const why = found ? "is not a file" : "does not exist";
    throw new EvaluatorError(
      "definition.missing",
      `${showPath(entry)} ${why}; give the path of an evaluation, such as evals/first.eval.ts`,
    );
  }
  const file = await realpath(entry);
  return { file, root: nearestPackageFolder(dirname(file)) ?? dirname(file) };
}

async function build(
  user: UserEntry,
  own: OwnPackage,
  outFolder: string,
  externals: Plugin,
  source: Plugin,
): Promise<Built> {
  const { build: esbuild } = await import("esbuild");
  const options = buildOptions(user, own, outFolder);
  try {
    const { outputFiles, metafile } = await esbuild({ ...options, plugins: [externals, source] });
    const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
    return { text: textOf(".mjs"), map: textOf(".map"), metafile };
  } catch (failure) {
    // Once more on the untouched sources, so that the lines shown are the user's own.
    const plain = await esbuild({ ...options, plugins: [externals] }).catch((error: unknown) => error);
    throw asBundleError(plain, user) ?? asBundleError(failure, user) ?? failure;
  }
}

function buildOptions(user: UserEntry, own: OwnPackage, outFolder: string) {
  return {
    stdin: {
      contents: entryText(user.file, own.childModule),
      resolveDir: user.root,
      sourcefile: "agent-evaluator-entry",
    },
    absWorkingDir: user.root,
    outfile: `${outFolder}/bundle/bundle.mjs`,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node24",
    conditions: extname(own.childModule) === ".ts" ? ["agent-evaluator-source"] : [],
    resolveExtensions: [".tsx", ".ts", ".jsx", ".js", ".json", ".node"],
    define: locationDefines,
    banner: { js: banner(user.file) },
    // Line breaks stay, because Node prints the whole source line of an uncaught error.
    minifySyntax: true,
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
  } satisfies BuildOptions;
}

function entryText(userFile: string, childModule: string): string {
  return [
    `import { serveIfChild } from ${JSON.stringify(childModule)};`,
    `import * as user from ${JSON.stringify(userFile)};`,
    "export { user };",
    "serveIfChild(user);",
  ].join("\n");
}

/** CommonJS code asks for `require`; what it asks for at run time is found from the user's file. */
function banner(userFile: string): string {
  const from = JSON.stringify(pathToFileURL(userFile).href);
  // Not imported: the facade of a built-in module costs a process milliseconds, and few bundles need it.
  return [
    'const __createRequire=(from)=>process.getBuiltinModule("module").createRequire(from);',
    `let __made;const __ownRequire=()=>__made??=__createRequire(${from});`,
    "const require=new Proxy(()=>{},{apply:(_,self,[id])=>__ownRequire()(id),get:(_,key)=>__ownRequire()[key]});",
    "const __resolveFrom=(base,name)=>/^([.]{0,2}[/]|[a-z]+:)/.test(name)?new URL(name,base).href",
    ':process.getBuiltinModule("url").pathToFileURL(__createRequire(base).resolve(name)).href;',
  ].join("");
}

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

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
