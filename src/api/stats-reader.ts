import type { Clock } from "../domain/clock.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { ModelKey } from "../domain/model.ts";
import { countPlanned, type RunSpan } from "../domain/plan.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import { isChecking, isDone } from "../domain/run/verdict.ts";
import { mergeShard } from "../domain/stats/shard-stats.ts";
import { type ModelStats, StatsFold } from "../domain/stats/stats.ts";
import type { Engine } from "../engine/engine.ts";
import { countToDo } from "../engine/owed-runs.ts";
import type { Store } from "../store/store.ts";

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

/** Adds up an evaluation's runs so far: from the sums of its shards, and from entries where a shard has none yet. */
export async function foldStored(
  store: Store,
  record: EvaluationRecord,
): Promise<Record<ModelKey, ModelStats>> {
  const fold = StatsFold.of(record);
  for (const { from, to } of await addShards(store, record, fold)) {
    for await (const entry of store.entries(record.id, { fromIndex: from, toIndex: to })) {
      if (!isOpen(record, entry)) fold.add(entry);
    }
  }
  return fold.stats();
}

/** Whether a round that is under way runs it again: in the cloud all that failed, elsewhere what was stopped. */
const isOpen = (record: EvaluationRecord, entry: LogEntry): boolean =>
  isRunningAgain(record) && entry.round < record.round && !isDone(entry, record.runnerVersion !== null);

/** While results are checked again every run has ended. */
const isRunningAgain = (record: EvaluationRecord): boolean =>
  record.status === "running" && !isChecking(record);

/** Adds the shards there are and answers with the spans between and after them, and of those that may have open runs. */
async function addShards(store: Store, record: EvaluationRecord, fold: StatsFold): Promise<RunSpan[]> {
  const gaps: RunSpan[] = [];
  let from = 0;
  for await (const shard of store.shardStats(record.id)) {
    if (isRunningAgain(record) && shard.round < record.round && countToDo(shard.verdicts) > 0) continue;
    if (shard.from > from) gaps.push({ from, to: shard.from });
    mergeShard(fold, shard);
    from = shard.to;
  }
  const to = countPlanned(record);
  return from < to ? [...gaps, { from, to }] : gaps;
}

const SHORTEST_MS = 1_000;
const REST_PER_WORK = 10;
const MOST_KEYS = 100;

interface Kept<Value> {
  readonly value: Promise<Value>;
  /** Until then it is fresh; infinite while somebody makes it anew. */
  dueMs: number;
}

/** Values that are expensive to make: made once for all that ask, and for no more than a tenth of the time. */
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
