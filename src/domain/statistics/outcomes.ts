import { entryModelKey, type LogEntry } from "../log-entry.ts";
import { type ModelKey, modelKey } from "../model.ts";
import { type PlanSize, placeOfRun } from "../run-number.ts";
import { type VerdictRow, verdictOf } from "../verdict.ts";
import { ModelTallies } from "./model-tallies.ts";
import { endingOf } from "./problem-counts.ts";
import { ProblemIndex } from "./problem-index.ts";

type CountedEntry = Pick<
  LogEntry,
  "providerKey" | "model" | "problemId" | "tags" | "correct" | "failure" | "score"
>;

/** What became of every problem with every model, from entries or from rows of verdicts, in any order. */
export class Outcomes {
  readonly problems = new ProblemIndex();
  readonly #models = new Map<ModelKey, ModelTallies>();

  constructor(models: Iterable<ModelKey> = []) {
    this.expectModels(models);
  }

  /** These come first in every report, in this order, also those that never run. */
  expectModels(models: Iterable<ModelKey>): void {
    for (const key of models) this.#talliesOf(key);
  }

  get models(): ReadonlyMap<ModelKey, ModelTallies> {
    return this.#models;
  }

  /** Every run once, with the entry of its highest round. */
  addEntry(entry: CountedEntry): void {
    const ending = endingOf(verdictOf(entry));
    if (ending === null) return;
    const position = this.problems.number(entry.problemId, entry.tags);
    this.#talliesOf(entryModelKey(entry)).add(position, ending, entry.score);
  }

  /** A part of the plan; scores and tags are not in it. */
  addRow(row: VerdictRow, size: PlanSize, problemIds: readonly string[]): void {
    for (let at = 0; at < row.verdicts.length; at++) {
      const ending = endingOf(row.verdicts.charAt(at));
      const place = ending === null ? null : placeOfRun(size, row.from + at);
      const id = place === null ? undefined : problemIds[place.problem];
      if (ending === null || place === null || id === undefined) continue;
      this.#talliesOf(modelKey(place.model)).add(this.problems.number(id), ending, null);
    }
  }

  #talliesOf(key: ModelKey): ModelTallies {
    const known = this.#models.get(key) ?? new ModelTallies(this.problems);
    this.#models.set(key, known);
    return known;
  }
}
