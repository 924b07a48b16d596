import { readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { Assets } from "../../api/assets.ts";
import { ignoreMissing } from "../../domain/has-code.ts";

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

/** Files of a folder, of the kinds that a dashboard has, and nothing outside of it. */
export const folderAssets =
  (folder: string): Assets =>
  async (path) => {
    const file = join(folder, path);
    const type = TYPES[extname(file)];
    if (type === undefined || !file.startsWith(`${folder}${sep}`) || path.includes("\0")) return null;
    const content = await readFile(file).catch(ignoreMissing);
    return content === null ? null : { content: new Uint8Array(content), type };
  };
