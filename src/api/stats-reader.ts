import type { Clock } from "../domain/clock.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { ModelKey } from "../domain/model.ts";
import type { ModelStats } from "../domain/model-stats.ts";
import type { Engine } from "../engine/contract.ts";
import type { Store } from "../store/contract.ts";
import { foldStored } from "./fold-stored.ts";
import { Fresh } from "./fresh.ts";

type Stats = Readonly<Record<ModelKey, ModelStats>>;

/** Stats at any time, without reading every entry for everybody who asks. */
export class StatsReader {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #folded: Fresh<Stats>;
  readonly #verdicts: Fresh<string>;

  constructor(store: Store, engine: Engine, clock: Clock) {
    this.#store = store;
    this.#engine = engine;
    this.#folded = new Fresh(() => clock.monotonicMs());
    this.#verdicts = new Fresh(() => clock.monotonicMs());
  }

  async stats(record: EvaluationRecord): Promise<Stats> {
    if (record.status !== "running" && record.stats !== null) return record.stats;
    const live = this.#engine.liveStats?.(record.id) ?? null;
    return live ?? this.#folded.get(stateOf(record), () => foldStored(this.#store, record));
  }

  /** One character per planned run. */
  verdicts(record: EvaluationRecord): Promise<string> {
    return this.#verdicts.get(stateOf(record), async () => {
      let verdicts = "";
      for await (const row of this.#store.verdictRows(record.id)) verdicts += row.verdicts;
      return verdicts;
    });
  }
}

/** What was known before an evaluation ended, or went on, is not asked for again. */
const stateOf = ({ id, round, status }: EvaluationRecord): string => `${id}#${round}#${status}`;
