import type { EvaluationId, RunId } from "../domain/ids.ts";
import type { RunSpan } from "../domain/run-number.ts";
import { RunRange } from "../domain/run-range.ts";
import { type Verdict, verdictOf } from "../domain/verdict.ts";
import type { EntryName, Saved } from "./contract.ts";
import { type DynamoItems, type Item, itemOf, text } from "./dynamo-items.ts";
import {
  entryKey,
  entryKeys,
  indexOfEntry,
  type Key,
  rangeKey,
  rangeKeys,
  roundIndex,
  runIndex,
} from "./dynamo-keys.ts";
import { EntryHead } from "./entry-head.ts";
import type { RunVerdict } from "./entry-source.ts";
import { readStored } from "./read-stored.ts";

export interface FoundEntry {
  readonly head: EntryHead;
  /** Null when the head alone gives the body back. */
  readonly bodyKey: string | null;
}

/**
 * The items of runs, kept by number: that is how they are read, and reads see every write. The few who ask by id
 * go through an index of keys, which costs one write of 1 KB per entry and lags behind for a moment.
 */
export class DynamoEntries {
  readonly #items: DynamoItems;

  constructor(items: DynamoItems) {
    this.#items = items;
  }

  insert(head: EntryHead, bodyKey: string | null): Promise<Saved> {
    const { evaluationId, runId, index, round } = head;
    const item = itemOf("entry", {
      head: text(JSON.stringify(head)),
      verdict: text(verdictOf(head)),
      ...(bodyKey === null ? {} : { body: text(bodyKey) }),
      gsi2pk: text(runIndex(evaluationId, runId)),
      gsi2sk: text(roundIndex(round)),
    });
    return this.#items.putNew(entryKey(evaluationId, index, round), item);
  }

  async has({ evaluationId, index, round }: EntryName): Promise<boolean> {
    return (await this.#items.get(entryKey(evaluationId, index, round), "entity")) !== null;
  }

  insertRange(range: RunRange): Promise<Saved> {
    const { evaluationId, round } = range;
    const item = itemOf("range", { range: text(JSON.stringify(range)) });
    return this.#items.putNew(rangeKey(evaluationId, round, range), item);
  }

  async ranges(id: EvaluationId): Promise<readonly RunRange[]> {
    const items = await Array.fromAsync(this.#items.span(rangeKeys(id)));
    return items.map((item) => readStored(RunRange, item.range?.S, "A range of runs"));
  }

  /** In plan order, of every run only the latest round. */
  async *heads(id: EvaluationId, span: RunSpan): AsyncGenerator<EntryHead> {
    for await (const item of this.#latest(id, span)) yield readHead(item);
  }

  async *verdicts(id: EvaluationId, span: RunSpan): AsyncGenerator<RunVerdict> {
    for await (const item of this.#latest(id, span, "sk, verdict")) {
      yield { index: indexOf(item), verdict: item.verdict?.S as Verdict };
    }
  }

  /** Every round of a run, oldest first. */
  async rounds(id: EvaluationId, runId: RunId): Promise<readonly EntryHead[]> {
    const keys = this.#items.index({ index: "gsi2", hash: runIndex(id, runId) });
    const found = await Promise.all(
      (await Array.fromAsync(keys)).map((item) => this.#items.get(keyOf(item))),
    );
    return found.flatMap((item) => (item === null ? [] : [readHead(item)])).toReversed();
  }

  async find(id: EvaluationId, runId: RunId, round: number): Promise<FoundEntry | null> {
    const query = { index: "gsi2", hash: runIndex(id, runId), equal: roundIndex(round) } as const;
    const [key] = await Array.fromAsync(this.#items.index(query));
    return key === undefined ? null : this.#read(keyOf(key));
  }

  /** The same by the run's number, without the index. */
  findAt(id: EvaluationId, index: number, round: number): Promise<FoundEntry | null> {
    return this.#read(entryKey(id, index, round));
  }

  async #read(key: Key): Promise<FoundEntry | null> {
    const item = await this.#items.get(key);
    return item && { head: readHead(item), bodyKey: item.body?.S ?? null };
  }

  /** Rounds of one run are neighbours, the latest the last of them. */
  async *#latest(id: EvaluationId, span: RunSpan, fields?: string): AsyncGenerator<Item> {
    let last: Item | null = null;
    for (const keys of entryKeys(id, span)) {
      for await (const item of this.#items.span(keys, fields)) {
        if (last !== null && indexOf(last) !== indexOf(item)) yield last;
        last = item;
      }
    }
    if (last !== null) yield last;
  }
}

const keyOf = ({ pk, sk }: Item): Key => ({ pk: pk?.S ?? "", sk: sk?.S ?? "" });
const indexOf = ({ sk }: Item): number => indexOfEntry(sk?.S ?? "");
const readHead = (item: Item): EntryHead => readStored(EntryHead, item.head?.S, "A log entry");
