/** How long one run may wait for rate limits; calls that wait at the same time wait only once. */
export class WaitBudget {
  readonly #budgetMs: number;
  readonly #nowMs: () => number;
  #waiting = 0;
  #sinceMs = 0;
  #waitedMs = 0;

  constructor(budgetMs: number, nowMs: () => number) {
    this.#budgetMs = budgetMs;
    this.#nowMs = nowMs;
  }

  /** One call begins or ends to wait; answers whether any waits now. */
  set(isWaiting: boolean): boolean {
    if (this.#waiting > 0) this.#waitedMs += this.#nowMs() - this.#sinceMs;
    this.#sinceMs = this.#nowMs();
    this.#waiting += isWaiting ? 1 : -1;
    return this.#waiting > 0;
  }

  leftMs(): number {
    const nowWaiting = this.#waiting > 0 ? this.#nowMs() - this.#sinceMs : 0;
    return Math.max(0, this.#budgetMs - this.#waitedMs - nowWaiting);
  }
}
