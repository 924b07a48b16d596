const SHORTEST_MS = 1_000;
const REST_PER_WORK = 10;
const MOST_KEYS = 100;

interface Kept<Value> {
  readonly value: Promise<Value>;
  /** Until then it is fresh; infinite while somebody makes it anew. */
  dueMs: number;
}

/** Values that are dear to make: made by one asker for all, and for no more than a tenth of the time. */
export class Fresh<Value> {
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept<Value>>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#nowMs() < kept.dueMs) return kept.value;
    if (kept !== undefined) kept.dueMs = Number.POSITIVE_INFINITY;
    const startedMs = this.#nowMs();
    const value = make();
    const fresh: Kept<Value> = { value, dueMs: Number.POSITIVE_INFINITY };
    if (kept === undefined) this.#keep(key, fresh);
    try {
      await value;
      const endedMs = this.#nowMs();
      fresh.dueMs = endedMs + Math.max(SHORTEST_MS, REST_PER_WORK * (endedMs - startedMs));
      this.#keep(key, fresh);
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
    return value;
  }

  #keep(key: string, fresh: Kept<Value>): void {
    this.#kept.delete(key);
    this.#kept.set(key, fresh);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEYS) return;
      this.#kept.delete(oldest);
    }
  }
}
