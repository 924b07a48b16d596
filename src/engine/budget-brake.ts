import { NO_SPEND, type Spend, spendOf, whySpent } from "../domain/budget.ts";
import type { Clock } from "../domain/clock.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { Store } from "../store/store.ts";

/** Keeps an evaluation to its budget: whoever works on it asks before each run, and tells what the run used. */
export class BudgetBrake {
  readonly #store: Pick<Store, "addSpend">;
  readonly #record: Budgeted;
  readonly #clock: Pick<Clock, "now">;
  #why: string | null = null;

  constructor(store: Pick<Store, "addSpend">, record: Budgeted, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#record = record;
    this.#clock = clock;
  }

  /** Why no further run may start; null for as long as nobody was refused. */
  get why(): string | null {
    return this.#why;
  }

  /** Asked anew each time, because others spend too; what is spent never comes back. */
  async mayStart(): Promise<boolean> {
    if (this.#record.budget === null || this.#why !== null) return this.#why === null;
    this.#why = whySpent(this.#record, await this.#add(NO_SPEND), this.#clock.now());
    return this.#why === null;
  }

  /**
   * Before the entry is saved: what was spent is spent, even if the entry gets lost. Without a budget it is counted
   * for one that a later round may be given, which no run has to fail for.
   */
  async add(entry: LogEntry): Promise<void> {
    const added = this.#add(spendOf(entry));
    await (this.#record.budget === null ? added.catch(() => {}) : added);
  }

  #add(spend: Spend): Promise<Spend> {
    return this.#store.addSpend(this.#record.id, spend);
  }
}

type Budgeted = Pick<EvaluationRecord, "id" | "budget" | "deadline">;
