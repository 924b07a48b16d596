import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const PACKED = "node_modules/agent-evaluator/dist/web";
const HEAD = "<head>";

/** The built dashboard of the package that a project has installed; null where it has installed none. */
export function installedDashboard(project: string): string | null {
  for (let folder = project; ; folder = dirname(folder)) {
    const place = join(folder, PACKED);
    if (existsSync(join(place, "index.html"))) return place;
    if (folder === dirname(folder)) return null;
  }
}

/** Copies a built dashboard to where it is deployed from, and tells its page which API to call; answers with the place. */
export function placeDashboard(from: string, to: string, apiUrl: string): string {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
  const page = join(to, "index.html");
  const text = readFileSync(page, "utf8");
  if (!text.includes(HEAD)) throw new Error(`${page} has no ${HEAD} to name the API in`);
  const meta = `<meta name="api" content="${new URL(apiUrl).href}" />`;
  writeFileSync(page, text.replace(HEAD, `${HEAD}\n    ${meta}`));
  return to;
}
