import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import type { Problem } from "../../../src/domain/problem.ts";
import type { Store } from "../../../src/store/store.ts";
import { anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and removes what it left behind. */
  readonly end: () => Promise<void>;
}

/** Opens stores for tests, and ends them all afterwards. */
export class StoreOpener {
  readonly #open: () => Promise<OpenedStore>;
  readonly #opened: OpenedStore[] = [];

  constructor(open: () => Promise<OpenedStore>) {
    this.#open = open;
  }

  async open(): Promise<OpenedStore> {
    const opened = await this.#open();
    this.#opened.push(opened);
    return opened;
  }

  async empty(): Promise<Store> {
    return (await this.open()).store;
  }

  /** A store that has `anEvaluation()` about these problems, with room for a thousand runs of each. */
  async created(
    problems: readonly Problem[] = [aProblem()],
    changes: Partial<EvaluationRecord> = {},
  ): Promise<Store> {
    const store = await this.empty();
    const record = anEvaluation({ problemCount: problems.length, ...changes });
    await store.createEvaluation(record, problems);
    return store;
  }

  async endAll(): Promise<void> {
    for (const opened of this.#opened.splice(0)) await opened.end();
  }
}
