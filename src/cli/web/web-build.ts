import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";
import { tidyBuilds } from "./tidy-builds.ts";

/** As a server gives the dashboard out, or as one file that a report carries in itself. */
export type WebForm = "web" | "report";

/** The folder of the built dashboard; a package brings it along, from the sources it is built when they changed. */
export async function webBuild(form: WebForm): Promise<string> {
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
async function buildInto(root: string, kept: string, folder: string, form: WebForm): Promise<void> {
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
  const sources = globSync("src/{web,domain}/**/*.{ts,tsx,css,html}", { cwd: root }).sort();
  for (const path of ["vite.config.ts", "package-lock.json", ...sources]) {
    hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}
