import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";

/**
 * Lists what a run may read of these folders: all but what holds keys by its name, stores, and links that lead
 * elsewhere. Node can only allow, so where one of these lies, the names beside it are given.
 */
export function readablePaths(folders: readonly string[], mostLookedAt = MOST_LOOKED_AT): string[] {
  return [...new Set(folders.flatMap((path) => grantsOf(lookInto(path, mostLookedAt))))];
}

/** Names of what holds keys; a `*` in a name would stand for any text. */
const CLOSED = new RegExp(
  [
    String.raw`^\.env(?:rc|\..*)?$`,
    String.raw`\.(?:env|pem|key|p12|pfx|jks|keystore|ppk|kdbx|tfstate|tfvars)$`,
    String.raw`^id_(?:rsa|dsa|ecdsa|ed25519)`,
    String.raw`^\.(?:npmrc|yarnrc(?:\.yml)?|pypirc|netrc|git-credentials|pgpass|htpasswd|vault-token)$`,
    String.raw`^\.(?:git|hg|svn|ssh|aws|azure|gcloud|kube|docker|gnupg|sst|pulumi|terraform|agent-evaluator)$`,
    "[*]",
  ].join("|"),
  "i",
);

/** A store has expected values, all that was ever answered, and the keys that entries are signed with. */
const STORE = "evaluations.sqlite";
const OF_A_STORE = /^(?:evaluations\.sqlite.*|bodies|drafts|seals)$/;

const PACKAGES = "node_modules";

/** So many files and folders are looked at, from the top; what lies deeper is taken as it is. */
const MOST_LOOKED_AT = 10_000;

interface Folder {
  readonly path: string;
  /** Its real place, without links; null for a folder of packages, whose names say nothing. */
  readonly place: string | null;
  readonly above: Folder | null;
  readonly open: string[];
  readonly closed: string[];
  readonly inner: [name: string, folder: Folder][];
}

const folderAt = (path: string, above: Folder | null, place: string | null): Folder => ({
  path,
  place,
  above,
  open: [],
  closed: [],
  inner: [],
});

function lookInto(path: string, mostLookedAt: number): Folder {
  const place = placeOf(path) ?? path;
  const root = folderAt(path, null, basename(path) === PACKAGES ? null : place);
  const waiting = [root];
  let looked = 0;
  for (const folder of waiting) {
    if (looked >= mostLookedAt) break;
    const entries = entriesOf(folder.path);
    looked += entries.length;
    const closed = entries.some(({ name }) => name === STORE) ? OF_A_STORE : null;
    for (const entry of entries) {
      if (closed?.test(entry.name)) folder.closed.push(entry.name);
      else if (folder.place === null) sortPackage(entry, folder);
      else sortEntry(entry, folder, folder.place, place);
    }
    for (const [, inner] of folder.inner) waiting.push(inner);
  }
  return root;
}

function sortEntry(entry: Dirent, folder: Folder, folderPlace: string, root: string): void {
  const { name } = entry;
  const path = join(folder.path, name);
  const isLink = entry.isSymbolicLink();
  const place = isLink ? placeOf(path) : join(folderPlace, name);
  if (CLOSED.test(name) || place === null) folder.closed.push(name);
  else if (name === PACKAGES) folder.inner.push([name, folderAt(path, folder, null)]);
  else if (isLink && !isOpenPlace(place, folder, root)) folder.closed.push(name);
  else if (isLink ? statSync(place).isDirectory() : entry.isDirectory())
    folder.inner.push([name, folderAt(path, folder, place)]);
  else folder.open.push(name);
}

/** Says whether a link's end may be read by its own name too, and is not a folder that the link itself lies in. */
function isOpenPlace(place: string, folder: Folder, root: string): boolean {
  const way = relative(root, place).split(sep);
  if (way[0] === ".." || way.some((name) => CLOSED.test(name))) return false;
  for (let above: Folder | null = folder; above !== null; above = above.above)
    if (above.place === place) return false;
  return true;
}

/** Packages are read whole; a link out of them leads into a project, where keys may lie. */
function sortPackage(entry: Dirent, folder: Folder): void {
  const { name } = entry;
  const path = join(folder.path, name);
  const isOutside = entry.isSymbolicLink() && !placeOf(path)?.includes(`${sep}${PACKAGES}${sep}`);
  if (isOutside || name.includes("*")) folder.closed.push(name);
  else if (name.startsWith("@") && entry.isDirectory())
    folder.inner.push([name, folderAt(path, folder, null)]);
  else folder.open.push(name);
}

/** What we cannot list, nobody whom we start can read. */
function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function placeOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // It leads nowhere.
  }
}

const isWhole = ({ closed, inner }: Folder): boolean =>
  closed.length === 0 && inner.every(([, folder]) => isWhole(folder));

function grantsOf(folder: Folder): string[] {
  if (isWhole(folder)) return [folder.path];
  const whole = folder.inner.filter(([, inner]) => isWhole(inner));
  const partly = folder.inner.filter(([, inner]) => !isWhole(inner));
  const open = [...folder.open, ...whole.map(([name]) => name)];
  const closed = [...folder.closed, ...partly.map(([name]) => name)];
  return [
    ...beginnings(open, closed).map((name) => join(folder.path, name)),
    ...partly.flatMap(([, inner]) => grantsOf(inner)),
  ];
}

/** As few beginnings as name all that is open and nothing that is closed: a folder may hold more than a command line. */
function beginnings(open: readonly string[], closed: readonly string[], start = ""): string[] {
  const isShared = closed.some((name) => name.startsWith(start));
  if (!isShared) return open.length === 1 ? [...open] : [`${start}*`];
  const longer = Map.groupBy(
    open.filter((name) => name !== start),
    (name) => start + String.fromCodePoint(name.codePointAt(start.length) ?? 0),
  );
  return [
    ...open.filter((name) => name === start),
    ...[...longer].flatMap(([next, names]) =>
      beginnings(
        names,
        closed.filter((name) => name.startsWith(start)),
        next,
      ),
    ),
  ];
}
