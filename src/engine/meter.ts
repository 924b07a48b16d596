import type { Limits } from "../domain/limits.ts";
import { toUsd } from "../domain/price.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../domain/usage.ts";

/** Adds up what one run used; what nobody reported stays unknown. */
export class Meter {
  turns = 0;
  #usage: Usage | null = null;
  #costNanoUsd = 0;
  #isCostKnown = true;

  /** A cost of null is one that nobody knows. */
  add(usage: Usage, costNanoUsd: number | null): void {
    this.#usage = addUsage(this.#usage ?? NO_USAGE, usage);
    if (costNanoUsd === null) this.#isCostKnown = false;
    else this.#costNanoUsd += costNanoUsd;
  }

  /** A call whose reply did not say what it used. */
  addUnknown(): void {
    this.#isCostKnown = false;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get costUsd(): number | null {
    return this.#usage !== null && this.#isCostKnown ? toUsd(this.#costNanoUsd) : null;
  }

  /** Which of the run's own limits is passed, if any. */
  passedLimit(limits: Limits): string | null {
    const tokens = totalTokens(this.#usage ?? NO_USAGE);
    if (limits.maxTokens !== undefined && tokens > limits.maxTokens) {
      return `used ${tokens} tokens, more than limits.maxTokens (${limits.maxTokens})`;
    }
    const costUsd = this.costUsd;
    if (limits.maxCostUsd !== undefined && costUsd !== null && costUsd > limits.maxCostUsd) {
      return `cost $${costUsd}, more than limits.maxCostUsd ($${limits.maxCostUsd})`;
    }
    return null;
  }

  /** Whether another model call is allowed. */
  refusesTurn(limits: Limits): string | null {
    if (limits.maxTurns === undefined || this.turns < limits.maxTurns) return null;
    return `asked for model call ${this.turns + 1}, more than limits.maxTurns (${limits.maxTurns})`;
  }
}
