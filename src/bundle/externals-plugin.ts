import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { ImportKind, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import * as z from "zod";
import { parseJson } from "../domain/json.ts";
import { installedPackageFolder, type OwnPackage } from "./places.ts";

/**
 * Keeps out of the bundle what cannot or need not be in it, each at its absolute place so that the
 * bundle may live anywhere: compiled packages and what our own package loads lazily. Packages go into `found`, and
 * our own files into `left`.
 */
export function externalsPlugin(own: OwnPackage, found: Set<string>, left: Set<string> = new Set()): Plugin {
  return {
    name: "agent-evaluator-externals",
    setup(build) {
      const native = new Map<string, boolean>();
      build.onResolve({ filter: /./, namespace: "file" }, async (args) => {
        if (args.pluginData === asking) return undefined;
        if (args.path.endsWith(".node") && args.importer === args.path) return leave(args.path, args.kind);
        if (args.kind === "dynamic-import" && isInside(args.importer, own.folder))
          return leaveOwn(build, args, found, left);

        const name = packageName(args.path);
        if (name === undefined) return undefined;
        if (name === own.name) return takeOwn(build, args, own.root);
        const folder = installedPackageFolder(name, args.resolveDir);
        if (folder === undefined) return undefined;
        if (!native.has(folder)) native.set(folder, isNativePackage(folder));
        if (!native.get(folder)) return undefined;
        const { path, errors } = await ask(build, args, args.resolveDir);
        if (errors.length > 0) return undefined;
        found.add(path);
        return leave(path, args.kind);
      });
      build.onLoad({ filter: /\.node$/ }, ({ path }) => {
        found.add(path);
        return { contents: `module.exports = require(${JSON.stringify(path)});` };
      });
    },
  };
}

/** Marks our own questions to esbuild's resolver, which come back through the plugin. */
const asking = Symbol("asking");

function ask(
  build: PluginBuild,
  { path, importer, kind, with: attributes }: OnResolveArgs,
  resolveDir: string,
) {
  return build.resolve(path, { importer, kind, resolveDir, with: attributes, pluginData: asking });
}

/** `require` takes paths and `import` takes addresses. */
function leave(path: string, kind: ImportKind): OnResolveResult {
  return { path: kind.startsWith("require") ? path : pathToFileURL(path).href, external: true };
}

async function leaveOwn(
  build: PluginBuild,
  args: OnResolveArgs,
  found: Set<string>,
  left: Set<string>,
): Promise<OnResolveResult> {
  const { path, errors, external } = await ask(build, args, args.resolveDir);
  if (errors.length > 0 || external) return { path: args.path, external: true };
  // A package that we need may be needed in a run; our own lazily loaded files are the parent's.
  (packageName(args.path) === undefined ? left : found).add(path);
  return leave(path, args.kind);
}

/** The child and the user's file share one copy of our package: the one that builds the bundle. */
async function takeOwn(build: PluginBuild, args: OnResolveArgs, root: string) {
  const { path, errors, sideEffects } = await ask(build, args, root);
  return errors.length > 0 ? undefined : { path, sideEffects };
}

/** The package that a bare import names, if it is one. */
function packageName(path: string): string | undefined {
  return /^(?:@[^/\\:]+\/)?[^./\\:@#][^/\\:]*(?=\/|$)/.exec(path)?.[0];
}

function isInside(file: string, folder: string): boolean {
  return file.startsWith(folder + sep) && !file.slice(folder.length).includes(`${sep}node_modules${sep}`);
}

/** Says whether a package brings compiled code, which no bundle can hold. */
export function isNativePackage(folder: string): boolean {
  const file = join(folder, "package.json");
  const described = PackageJson.safeParse(
    existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined,
  );
  if (!described.success) return false;
  const { gypfile, binary, napi, dependencies, optionalDependencies } = described.data;
  if (gypfile === true || binary !== undefined || napi !== undefined) return true;
  if (existsSync(join(folder, "binding.gyp"))) return true;
  if (Object.keys({ ...dependencies, ...optionalDependencies }).some((name) => loaders.has(name)))
    return true;
  return Object.keys(optionalDependencies).some((name) => perPlatform.test(name));
}

const loaders = new Set([
  "@mapbox/node-pre-gyp",
  "bindings",
  "node-gyp-build",
  "node-gyp-build-optional-packages",
  "node-pre-gyp",
  "prebuild-install",
  "prebuildify",
]);

const perPlatform = /(?:^|[-/.])(?:darwin|linux|win32|windows|freebsd|android)(?:-|$)/;

const PackageJson = z.object({
  gypfile: z.unknown().optional(),
  binary: z.unknown().optional(),
  napi: z.unknown().optional(),
  dependencies: z.record(z.string(), z.unknown()).default({}),
  optionalDependencies: z.record(z.string(), z.unknown()).default({}),
});
