import { hash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { RowPage } from "./row-pages.ts";

/** Pages of a dataset that were read before. */
export interface KeptPages {
  find(url: URL): Promise<RowPage | null>;
  keep(url: URL, page: RowPage): Promise<void>;
}

/** A folder that cannot be written keeps nothing, and costs only time. */
export function keptPages(folder: string | false | undefined, refresh: boolean): KeptPages {
  if (folder === false) return { find: async () => null, keep: async () => {} };
  const place = folder ?? join(homedir(), ".cache", "agent-evaluator", "datasets");
  const fileOf = (url: URL) => join(place, `${hash("sha256", url.href, "hex").slice(0, 32)}.json`);
  return {
    async find(url) {
      return refresh ? null : readPage(fileOf(url));
    },
    async keep(url, page) {
      // A page that cannot be kept, as on a full disk, is fetched again.
      await writePage(place, fileOf(url), page).catch(() => {});
    },
  };
}

async function readPage(file: string): Promise<RowPage | null> {
  try {
    return RowPage.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null; // Never kept, or spoilt: it is fetched again.
  }
}

/** Renamed into its place, so that nobody reads half a page. */
async function writePage(folder: string, file: string, page: RowPage): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stage = `${file}.${process.pid}`;
  await writeFile(stage, JSON.stringify(page), { mode: 0o600 });
  await rename(stage, file);
}
