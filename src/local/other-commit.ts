import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, utimesSync } from "node:fs";
import { mkdir, realpath, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { foldersUp, type OtherVersion, showPath } from "../bundle/places.ts";
import { CURRENT } from "../child/side-by-side.ts";
import { EvaluatorError, isEvaluatorError } from "../domain/errors.ts";
import type { OtherCommit } from "../domain/evaluation.ts";
import { sha256 } from "../system/digest.ts";
import { privateFolder } from "../system/private-folder.ts";
import { sweepFolder } from "../system/sweep.ts";
import { askGit } from "./git.ts";

/** Finds the commit that a user's words name, and the name of the variant that it becomes. */
export async function findCommit(file: string, ref: string): Promise<OtherCommit> {
  const commit = await askGit(dirname(file), ["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`])
    .then((text) => text.trim())
    .catch((error: unknown) => {
      throw explained(error, ref);
    });
  const name = ref.replaceAll(/[^\w.~^-]+/g, "-").slice(0, 40);
  return { ref, commit, variant: name === CURRENT || name === "" ? commit.slice(0, 12) : name };
}

function explained(error: unknown, ref: string): unknown {
  if (!isEvaluatorError(error)) return error;
  const why = /Needed a single revision|unknown revision|bad revision/.test(error.message)
    ? `git knows no commit "${ref}" here; give a branch, a tag or a commit`
    : error.message;
  return new EvaluatorError("git.refused", `--against ${ref}: ${why}`, { cause: error });
}

/**
 * Lays out a copy of a commit and finds the file in it. The copy lies outside of the repository, which learns nothing of
 * it, at a place that is the same each time, so that a resumed evaluation runs what it ran before; a copy that nobody
 * used for two weeks is removed. Its packages are those that are installed now.
 */
export async function layOutCommit(
  file: string,
  { ref, commit, variant }: OtherCommit,
): Promise<OtherVersion> {
  const place = await realpath(file);
  const repository = (await askGit(dirname(place), ["rev-parse", "--show-toplevel"])).trim();
  const copies = await copiesFolder();
  const root = join(copies, sha256(JSON.stringify([repository, commit])).slice(0, 40));
  if (!existsSync(root)) await copyCommit(repository, commit, root);
  const now = new Date();
  utimesSync(root, now, now);
  await sweepCopies(copies);
  const other = join(root, relative(repository, place));
  if (!existsSync(other))
    throw new EvaluatorError(
      "git.refused",
      `${showPath(file)} is not in ${ref} (${commit.slice(0, 7)}); --against compares two versions of one file`,
    );
  await linkPackages(repository, root, dirname(other));
  return { variant, file: other, root, original: repository };
}

async function copiesFolder(): Promise<string> {
  const folder = join(privateFolder() ?? mkdtempSync(join(tmpdir(), "agent-evaluator-")), "commits");
  await mkdir(folder, { recursive: true });
  return realpath(folder);
}

/** Writes the files of a commit by an index of its own, so that the repository's stays as it is. */
async function copyCommit(repository: string, commit: string, root: string): Promise<void> {
  const draft = `${root}.${randomUUID()}.tmp`;
  const index = { GIT_INDEX_FILE: `${draft}/.index` };
  await mkdir(draft, { recursive: true });
  try {
    await askGit(repository, ["read-tree", commit], index);
    await askGit(repository, ["checkout-index", "--all", "--quiet", `--prefix=${draft}/`], index);
    await rm(index.GIT_INDEX_FILE, { force: true });
    // Of two that copy the same commit, one is first, and the other has the same.
    await rename(draft, root).catch((error: unknown) => {
      if (!existsSync(root)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Lets the copy find the packages of each folder above the file, and those above the repository. */
async function linkPackages(repository: string, root: string, home: string): Promise<void> {
  for (const folder of foldersUp(home).filter((each) => each === root || each.startsWith(`${root}/`))) {
    const here = join(repository, relative(root, folder));
    const places = folder === root ? foldersUp(here) : [here];
    const installed = places.map((each) => join(each, "node_modules")).find((each) => existsSync(each));
    const link = join(folder, "node_modules");
    if (installed === undefined || existsSync(link)) continue;
    await rm(link, { force: true });
    await symlink(installed, link, "junction").catch((error: unknown) => {
      if (!existsSync(link)) throw error;
    });
  }
}

const DAY_MS = 86_400_000;

async function sweepCopies(folder: string): Promise<void> {
  await sweepFolder(folder, /^[0-9a-f]{40}$/, 14 * DAY_MS);
  await sweepFolder(folder, /^[0-9a-f]{40}\.[0-9a-f-]+\.tmp$/, DAY_MS);
}
