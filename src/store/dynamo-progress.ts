import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import { countPlanned } from "../domain/run-number.ts";
import { toWhole } from "../domain/whole.ts";
import { type DynamoItems, type Item, itemOf, number } from "./dynamo-items.ts";
import { progressKey, progressKeys } from "./dynamo-keys.ts";
import { addCounts, countOf, NO_COUNT, type ProgressCount } from "./progress-count.ts";

const FIELDS = Object.keys(NO_COUNT) as readonly (keyof ProgressCount)[];

/** Counts per block of runs, so that a thousand runs in flight do not wait for one item. */
export class DynamoProgress {
  readonly #items: DynamoItems;

  constructor(items: DynamoItems) {
    this.#items = items;
  }

  async bump(entry: LogEntry): Promise<void> {
    const { evaluationId, index, round } = entry;
    const count = countOf(entry);
    const add = Object.fromEntries(FIELDS.map((field) => [field, number(count[field])]));
    await this.#items.update(progressKey(evaluationId, index, round), { set: itemOf("progress", {}), add });
  }

  async read(record: EvaluationRecord): Promise<ProgressCount> {
    const buckets = [...progressKeys(record.id, record.round, countPlanned(record))];
    const items = await Promise.all(
      buckets.map((keys) => Array.fromAsync(this.#items.span(keys, undefined, false))),
    );
    return items.flat().map(readCount).reduce(addCounts, NO_COUNT);
  }
}

const readCount = (item: Item): ProgressCount => ({
  ...NO_COUNT,
  ...Object.fromEntries(FIELDS.map((field) => [field, toWhole(Number(item[field]?.N ?? 0))])),
});
