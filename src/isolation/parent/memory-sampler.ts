import { findRunProcesses, rssBytesOf } from "./processes.ts";

const CHILD_EVERY_MS = 50;
const GROUPS_EVERY = 10;
const SLOW_SAMPLING_MS = 500;

interface Watched {
  readonly pid: number;
  readonly marker: string;
  readonly maxBytes: number;
  /** True if processes that it started count too. */
  readonly withGroup: boolean;
  readonly onExceeded: (bytes: number) => void;
}

/** One timer looks at the memory of all children: each of them often, whole families now and then. */
export class MemorySampler {
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #tick = 0;

  watch(child: Watched): () => void {
    this.#watched.add(child);
    // Where there is no /proc every look costs a process, so it looks less often.
    this.#timer ??= setInterval(
      () => this.#sample(),
      process.platform === "linux" ? CHILD_EVERY_MS : SLOW_SAMPLING_MS,
    );
    return () => this.#forget(child);
  }

  #forget(child: Watched): void {
    this.#watched.delete(child);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sample(): void {
    const withGroups = this.#tick++ % GROUPS_EVERY === GROUPS_EVERY - 1 || process.platform !== "linux";
    for (const child of [...this.#watched]) {
      const bytes = withGroups && child.withGroup ? familyBytes(child) : rssBytesOf(child.pid);
      if (bytes !== null && bytes > child.maxBytes) child.onExceeded(bytes);
    }
  }
}

const familyBytes = ({ pid, marker }: Watched): number =>
  findRunProcesses(pid, marker).reduce((sum, { rssBytes }) => sum + rssBytes, 0);
