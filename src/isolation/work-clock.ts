/** Counts working time: it stands still while the run waits for a rate limit, and rings once when time is up. */
export class WorkClock {
  readonly #limitMs: number;
  readonly #ring: () => void;
  readonly #startedAt = performance.now();
  #workedMs = 0;
  #workingSince: number | null = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #stoppedAt: number | null = null;

  constructor(limitMs: number, ring: () => void) {
    this.#limitMs = limitMs;
    this.#ring = ring;
    this.#arm();
  }

  setWaiting(isWaiting: boolean): void {
    if (this.#stoppedAt !== null || isWaiting === (this.#workingSince === null)) return;
    if (isWaiting) return this.#pause();
    this.#workingSince = performance.now();
    this.#arm();
  }

  stop(): void {
    if (this.#stoppedAt !== null) return;
    if (this.#workingSince !== null) this.#pause();
    clearTimeout(this.#timer);
    this.#stoppedAt = performance.now();
  }

  /** Whole milliseconds, read after `stop`. */
  times(): { runtimeMs: number; waitMs: number } {
    const runtimeMs = Math.round(this.#workedMs);
    const allMs = Math.round((this.#stoppedAt ?? performance.now()) - this.#startedAt);
    return { runtimeMs, waitMs: Math.max(0, allMs - runtimeMs) };
  }

  #pause(): void {
    this.#workedMs += performance.now() - (this.#workingSince ?? performance.now());
    this.#workingSince = null;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    this.#timer = setTimeout(this.#ring, Math.max(0, this.#limitMs - this.#workedMs));
  }
}
