import { readFileSync, statSync, utimesSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import * as z from "zod";
import { sha256 } from "../system/digest.ts";
import { sweepFolder } from "../system/sweep.ts";
import { writeWholeFile } from "../system/write-file.ts";
import { KeptBundle } from "./bundle.ts";
import { foldersUp, nearestPackageFolder } from "./places.ts";

const Kept = z.object({ bundle: KeptBundle, stamps: z.array(z.tuple([z.string(), z.string()])) });

/** A file that changed so lately may change again without a new time of change. */
const YOUNG_MS = 2_000;

/** Gives back the bundle that was kept under these words, if nothing that went into it has changed since. */
export function findBundle(outFolder: string, words: readonly string[]): KeptBundle | null {
  try {
    const place = placeOf(outFolder, words);
    const kept = Kept.parse(JSON.parse(readFileSync(place, "utf8")));
    const isSame = kept.stamps.every(([path, stamp]) => stampOf(path).text === stamp);
    if (!isSame) return null;
    for (const used of [place, dirname(kept.bundle.file)]) markUsed(used);
    return kept.bundle;
  } catch {
    return null; // Never kept, or swept out of the temp folder: it is built again.
  }
}

/** Gives a file the time of now, so that the sweep leaves it. */
function markUsed(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // A folder that may only be read serves as well.
  }
}

/** Keeps a bundle until one of its files, or a place where another one could be found instead, changes. */
export async function keepBundle(
  outFolder: string,
  words: readonly string[],
  bundle: KeptBundle,
  sources: readonly string[],
  builtFromMs: number,
): Promise<void> {
  const stamps = [...placesThatMatter(sources), bundle.file].map((path) => ({ path, ...stampOf(path) }));
  const isYoung = stamps.some(
    ({ path, changedMs }) => path !== bundle.file && changedMs > builtFromMs - YOUNG_MS,
  );
  if (isYoung) return;
  const kept = { bundle, stamps: stamps.map(({ path, text }) => [path, text]) };
  await writeWholeFile(placeOf(outFolder, words), JSON.stringify(kept));
}

/** The files, their packages' settings, and the folders in which a new file would be found before them. */
function placesThatMatter(sources: readonly string[]): Set<string> {
  const places = new Set(sources);
  for (const folder of new Set(sources.map((source) => dirname(source)))) {
    const packageFolder = nearestPackageFolder(folder) ?? folder;
    places.add(join(packageFolder, "package.json"));
    if (folder.includes(`${sep}node_modules${sep}`)) continue;
    for (const above of foldersUp(folder)) {
      places.add(join(above, "node_modules"));
      if (!above.startsWith(packageFolder)) continue;
      places.add(above).add(join(above, "tsconfig.json"));
    }
  }
  return places;
}

function stampOf(path: string): { text: string; changedMs: number } {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return { text: "none", changedMs: 0 };
  return { text: `${found.mtimeNs}.${found.ctimeNs}.${found.size}`, changedMs: Number(found.ctimeMs) };
}

const placeOf = (outFolder: string, words: readonly string[]): string =>
  join(outFolder, "kept", sha256(JSON.stringify(words)));

const DAY_MS = 86_400_000;
const UNUSED_MS = 14 * DAY_MS;

/** Names of our own files; a given folder may hold the user's own things too. */
const BUNDLE = /^[0-9a-f]{32}-[0-9a-f]{8}$/;
const KEPT = /^[0-9a-f]{64}$/;
const DRAFT = /^[0-9a-f]{64}\.[0-9a-f-]+\.tmp$/;

/** Removes the bundles that nobody used for two weeks, and what a killed evaluator left half written; never throws. */
export async function sweepBundles(outFolder: string): Promise<void> {
  const kept = join(outFolder, "kept");
  await Promise.all([
    sweepFolder(outFolder, BUNDLE, UNUSED_MS),
    sweepFolder(kept, KEPT, UNUSED_MS),
    sweepFolder(kept, DRAFT, DAY_MS),
  ]);
}
