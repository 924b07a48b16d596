import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findRunProcesses, rssBytesOf } from "./processes.ts";

const CHILD_EVERY_MS = 50;
const GROUPS_EVERY = 10;
const SLOW_SAMPLING_MS = 500;

interface Family {
  readonly marker: string;
  readonly maxBytes: number;
  /** True if processes that it started count too. */
  readonly withGroup: boolean;
  readonly onExceeded: (bytes: number) => void;
  readonly tempFolder: string;
  readonly maxDiskBytes: number;
  readonly onDiskExceeded: (bytes: number) => void;
}

/** A folder with many files takes long to add up, and is looked at the less often for it. */
const DISK_PAUSE_SHARE = 10;
/** About what any file takes, be it empty. */
const FILE_BYTES = 4_096;

/**
 * One timer looks at the memory of all children: each of them often, whole families now and then, and so at their temp
 * folders.
 */
export class UseSampler {
  readonly #watched = new Map<number, Family>();
  /** When a family's temp folder is to be looked at again, at the earliest. */
  readonly #nextDiskMs = new WeakMap<Family, number>();
  #timer: NodeJS.Timeout | undefined;
  #tick = 0;

  /** Watches a process, if it was started, until the answer is called. */
  watch(pid: number | null, family: Family): () => void {
    if (pid === null) return () => {};
    this.#watched.set(pid, family);
    // Where there is no /proc every look costs a process, so it looks less often.
    this.#timer ??= setInterval(
      () => this.#sample(),
      process.platform === "linux" ? CHILD_EVERY_MS : SLOW_SAMPLING_MS,
    );
    return () => this.#forget(pid);
  }

  #forget(pid: number): void {
    this.#watched.delete(pid);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sample(): void {
    const withGroups = this.#tick++ % GROUPS_EVERY === GROUPS_EVERY - 1 || process.platform !== "linux";
    for (const [pid, family] of [...this.#watched]) {
      const { marker, withGroup, maxBytes, onExceeded } = family;
      if (withGroups) void this.#sampleDisk(family);
      const bytes = withGroups && withGroup ? familyBytes(pid, marker) : rssBytesOf(pid);
      if (bytes !== null && bytes > maxBytes) onExceeded(bytes);
    }
  }

  async #sampleDisk(family: Family): Promise<void> {
    const startedMs = performance.now();
    if (startedMs < (this.#nextDiskMs.get(family) ?? 0)) return;
    this.#nextDiskMs.set(family, Number.POSITIVE_INFINITY);
    const bytes = await folderBytes(family.tempFolder, family.maxDiskBytes);
    const tookMs = performance.now() - startedMs;
    this.#nextDiskMs.set(family, performance.now() + DISK_PAUSE_SHARE * tookMs);
    if (bytes > family.maxDiskBytes) family.onDiskExceeded(bytes);
  }
}

/** Adds up what is on the disk in a folder, until it is more than that; never throws. */
async function folderBytes(folder: string, most: number): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    const inside = entry.isDirectory()
      ? folderBytes(path, most - sum)
      : lstat(path).then(
          ({ blocks }) => blocks * 512,
          () => 0,
        );
    sum += Math.max(FILE_BYTES, await inside);
    if (sum > most) break;
  }
  return sum;
}

const familyBytes = (pid: number, marker: string): number =>
  findRunProcesses(pid, marker).reduce((sum, { rssBytes }) => sum + rssBytes, 0);
