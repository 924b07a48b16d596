import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Asset, Assets } from "../../api/assets.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

/** Files of a folder, of the kinds that a dashboard has; all are read at once, so that the folder may go meanwhile. */
export function folderAssets(folder: string): Assets {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((path) => {
    const type = TYPES[extname(path)];
    if (type === undefined) return [];
    return [[`/${path}`, { content: new Uint8Array(readFileSync(join(folder, path))), type }] as const];
  });
  const assets: ReadonlyMap<string, Asset> = new Map(files);
  return async (path) => assets.get(path) ?? null;
}
