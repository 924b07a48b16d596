import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** As a server gives the dashboard out, or as one file that a report carries in itself. */
export type WebForm = "web" | "report";

/** The folder of the built dashboard; from the sources it is built when it is older than they are. */
export async function webBuild(form: WebForm): Promise<string> {
  const root = projectRoot();
  const folder = join(root, "dist", form);
  const sources = join(root, "src");
  if (!existsSync(join(sources, "web")) || !import.meta.filename.endsWith(".ts")) return folder;
  if (builtAt(folder) >= changedAt(sources)) return folder;
  const { build } = await import("vite");
  const mode = form === "report" ? "report" : "production";
  await build({ configFile: join(root, "vite.config.ts"), mode, logLevel: "error" });
  return folder;
}

/** Where package.json is: above `src` and above `dist`, wherever in them this file was built to. */
function projectRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

function builtAt(folder: string): number {
  const page = join(folder, "index.html");
  return existsSync(page) ? statSync(page).mtimeMs : 0;
}

const changedAt = (sources: string): number =>
  globSync("{web,domain}/**/*.{ts,tsx,css,html}", { cwd: sources })
    .map((path) => statSync(join(sources, path)).mtimeMs)
    .reduce((newest, at) => Math.max(newest, at), 0);
