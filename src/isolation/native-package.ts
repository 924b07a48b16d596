import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../domain/parse-json.ts";

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
