import { entryModelKey, type LogEntry } from "../../domain/log-entry.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { addEntry, emptyTally, type Tally, toModelStats } from "../../domain/stats.ts";

export interface ProgressStart {
  readonly name: string;
  readonly models: readonly ModelKey[];
  readonly total: number;
  /** Runs that an earlier execution finished; they say nothing about today's speed. */
  readonly alreadyDone: number;
  readonly nowMs: number;
}

export interface ProgressView {
  readonly name: string;
  readonly models: readonly (readonly [key: ModelKey, stats: ModelStats])[];
  readonly done: number;
  readonly total: number;
  readonly running: number;
  /** Providers that take fewer calls at a time than there are. */
  readonly limits: readonly (readonly [providerKey: string, calls: number])[];
  readonly elapsedSeconds: number;
  /** null until there is something to guess from. */
  readonly secondsLeft: number | null;
}

/** Counts runs as they start and end; `view` is all that a drawing needs. */
export class Progress {
  readonly #start: ProgressStart;
  readonly #tallies: Map<ModelKey, Tally>;
  readonly #limits = new Map<string, number>();
  #started = 0;
  #done = 0;

  constructor(start: ProgressStart) {
    this.#start = start;
    this.#tallies = new Map(start.models.map((key) => [key, emptyTally()]));
  }

  get done(): number {
    return this.#done;
  }

  runStarted(): void {
    this.#started++;
  }

  limited(providerKey: string, calls: number | null): void {
    if (calls === null) this.#limits.delete(providerKey);
    else this.#limits.set(providerKey, calls);
  }

  add(entry: LogEntry): void {
    const tally = this.#tallies.get(entryModelKey(entry));
    if (tally === undefined) return;
    addEntry(tally, entry);
    // The live picture has no quantiles, and sorting all runtimes ten times a second would cost.
    tally.runtimes.clear();
    this.#done++;
  }

  view(nowMs: number): ProgressView {
    const { name, models, total, alreadyDone } = this.#start;
    const planned = models.length === 0 ? 0 : total / models.length;
    const doneNow = Math.max(0, this.#done - alreadyDone);
    const elapsedSeconds = Math.max(0, nowMs - this.#start.nowMs) / 1_000;
    return {
      name,
      models: [...this.#tallies].map(([key, tally]) => [key, toModelStats(tally, planned)]),
      done: this.#done,
      total,
      running: Math.max(0, this.#started - doneNow),
      limits: [...this.#limits],
      elapsedSeconds,
      secondsLeft: doneNow === 0 ? null : (elapsedSeconds / doneNow) * Math.max(0, total - this.#done),
    };
  }
}
