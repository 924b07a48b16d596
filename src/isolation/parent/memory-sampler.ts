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
}

/** One timer looks at the memory of all children: each of them often, whole families now and then. */
export class MemorySampler {
  readonly #watched = new Map<number, Family>();
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
    for (const [pid, { marker, withGroup, maxBytes, onExceeded }] of [...this.#watched]) {
      const bytes = withGroups && withGroup ? familyBytes(pid, marker) : rssBytesOf(pid);
      if (bytes !== null && bytes > maxBytes) onExceeded(bytes);
    }
  }
}

const familyBytes = (pid: number, marker: string): number =>
  findRunProcesses(pid, marker).reduce((sum, { rssBytes }) => sum + rssBytes, 0);
