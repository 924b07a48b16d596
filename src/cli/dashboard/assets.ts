import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { Asset, Assets } from "../../api/assets.ts";
import { packageRoot } from "../host.ts";

/** Reads the dashboard's files; from the sources they are built when the first one is requested. */
export function dashboardAssets(): Assets {
  let built: Promise<Assets> | undefined;
  return async (path) => {
    built ??= webBuild("web").then(folderAssets);
    return (await built)(path);
  };
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Reads the files of a folder, of the kinds that a dashboard has; all at once, so that the folder may go meanwhile. */
export function folderAssets(folder: string): Assets {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((path) => {
    const type = TYPES[extname(path)];
    if (type === undefined) return [];
    return [[`/${path}`, { content: new Uint8Array(readFileSync(join(folder, path))), type }] as const];
  });
  const assets: ReadonlyMap<string, Asset> = new Map(files);
  return async (path) => assets.get(path) ?? null;
}

/**
 * Finds the folder of the built dashboard, as a server sends it or as one file for a report; a package has it, from
 * the sources it is built when they changed.
 */
export async function webBuild(form: "web" | "report"): Promise<string> {
  const root = packageRoot();
  const isPackage = !import.meta.filename.endsWith(".ts") || !existsSync(join(root, "src/web"));
  if (isPackage) return join(root, "dist", form);
  const kept = join(root, "node_modules/.cache/agent-evaluator");
  const folder = join(kept, `${form}-${fingerprint(root)}`);
  if (!existsSync(folder)) await buildInto(root, kept, folder, form);
  await tidyBuilds(kept, folder, new Date());
  return folder;
}

/** Another process may build the same at the same time: the first whole build stays. */
async function buildInto(root: string, kept: string, folder: string, form: "web" | "report"): Promise<void> {
  const { build } = await import("vite");
  await mkdir(kept, { recursive: true });
  const outDir = await mkdtemp(join(kept, "new-"));
  const mode = form === "report" ? "report" : "production";
  await build({ configFile: join(root, "vite.config.ts"), mode, logLevel: "error", build: { outDir } });
  await rename(outDir, folder).catch(async (error) => {
    await rm(outDir, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
}

function fingerprint(root: string): string {
  const hash = createHash("sha256");
  const sources = globSync("src/{web,domain,statistics}/**/*.{ts,tsx,css,html}", { cwd: root }).sort();
  for (const path of ["vite.config.ts", "package-lock.json", ...sources]) {
    hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Far longer than a process takes to read a build, or to make one. */
const LONGEST_USE_MS = 10 * 60_000;

/** Marks a build as in use, and removes what was built of other sources and have not been used for a while. */
export async function tidyBuilds(kept: string, current: string, now: Date): Promise<void> {
  await utimes(current, now, now);
  for (const name of await readdir(kept)) {
    if (!BUILD.test(name) || sourcesOf(name) === sourcesOf(basename(current))) continue;
    const there = await stat(join(kept, name)).catch(() => null);
    if (there === null || now.getTime() - there.mtimeMs < LONGEST_USE_MS) continue;
    await rm(join(kept, name), { recursive: true, force: true });
  }
}

/** Finished builds and abandoned ones. */
const BUILD = /^(?:web|report|new)-\w+$/;

/** The fingerprint after the form. */
const sourcesOf = (name: string): string => name.slice(name.indexOf("-") + 1);
