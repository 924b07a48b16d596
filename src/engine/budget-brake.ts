import { spendOf, whySpent } from "../domain/budget.ts";
import type { Clock } from "../domain/clock.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { Store } from "../store/store.ts";

/** Keeps an evaluation to its budget: whoever works on it asks before each run, and tells what the run used. */
export class BudgetBrake {
  readonly #store: Pick<Store, "addSpend" | "spent">;
  readonly #record: Budgeted;
  readonly #clock: Pick<Clock, "now">;
  #why: string | null = null;

  constructor(store: Pick<Store, "addSpend" | "spent">, record: Budgeted, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#record = record;
    this.#clock = clock;
  }

  /** Why no further run may start; null for as long as nobody was refused. */
  get why(): string | null {
    return this.#why;
  }

  /**
   * Asked anew each time, because others spend too; what is spent never comes back. A run that is let in was preceded
   * by less than the budget, so that what is spent beyond it is never more than the runs under way then use.
   */
  async mayStart(): Promise<boolean> {
    if (this.#record.budget === null || this.#why !== null) return this.#why === null;
    this.#why = whySpent(this.#record, await this.#store.spent(this.#record.id), this.#clock.now());
    return this.#why === null;
  }

  /**
   * Before the entry is saved: what was spent is spent, even if the entry gets lost. Without a budget it is counted
   * for one that a later round may be given, which no run has to fail for.
   */
  async add(entry: LogEntry): Promise<void> {
    const added = this.#store.addSpend(this.#record.id, spendOf(entry), entry.index);
    await (this.#record.budget === null ? added.catch(() => {}) : added);
  }
}

type Budgeted = Pick<EvaluationRecord, "id" | "budget" | "deadline">;
