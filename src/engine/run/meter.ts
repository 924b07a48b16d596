import type { Limits } from "../../domain/limits.ts";
import { addWhole, excessOf, MAX_TOKENS } from "../../domain/run/amounts.ts";
import {
  addUsage,
  type CallUsage,
  MAX_RUN_USD,
  NO_USAGE,
  toNanoUsd,
  totalTokens,
  toUsd,
  type Usage,
} from "../../domain/run/usage.ts";

/** Adds up what one run used; what nobody reported stays unknown. */
export class Meter {
  turns = 0;
  #usage: Usage | null = null;
  #costNanoUsd = 0;
  #isCostKnown = true;

  /** Null, or what is too much: that is not counted, and then nobody knows what the run cost. */
  addUsage(usage: CallUsage, who: string): string | null {
    const sum = { ...usage, ...addUsage(this.#usage ?? NO_USAGE, usage) };
    const excess = excessOf(sum);
    if (excess === null) {
      this.#usage = addUsage(sum, NO_USAGE);
      return null;
    }
    this.#isCostKnown = false;
    const [name, tokens] = excess;
    return `${who} reports ${tokens} ${name} in total; a run may use at most ${MAX_TOKENS}`;
  }

  /** The same of what it cost; null is what nobody knows. */
  addCost(costNanoUsd: number | null): string | null {
    const sum = addWhole(this.#costNanoUsd, costNanoUsd ?? 0);
    const isTooMuch = sum > toNanoUsd(MAX_RUN_USD);
    if (costNanoUsd === null || isTooMuch) this.#isCostKnown = false;
    else this.#costNanoUsd = sum;
    return isTooMuch ? `cost $${toUsd(sum)}; a run may cost at most $${MAX_RUN_USD}` : null;
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
