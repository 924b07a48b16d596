import type { EvaluationId, RunId } from "../../domain/ids.ts";
import type { RunSpan } from "../../domain/plan.ts";
import { RunRange } from "../../domain/run/run-range.ts";
import { type VerdictLetter, verdictOf } from "../../domain/run/verdict.ts";
import { EntryHead } from "../entry-head.ts";
import type { RunVerdict } from "../ranges.ts";
import type { Seals } from "../seals.ts";
import type { EntryName, Saved, SavedEntry } from "../store.ts";
import { readStored } from "../stored.ts";
import { type DynamoItems, type Item, itemOf, keyOfItem, text } from "./items.ts";
import {
  entryKey,
  entryKeys,
  indexOfEntry,
  type Key,
  rangeKey,
  rangeKeys,
  roundIndex,
  roundOfEntry,
  runIndex,
} from "./keys.ts";

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
  readonly #seals: Seals;

  constructor(items: DynamoItems, seals: Seals) {
    this.#items = items;
    this.#seals = seals;
  }

  async insert(head: EntryHead, bodyKey: string | null): Promise<SavedEntry> {
    const { evaluationId, index, round } = head;
    const key = entryKey(evaluationId, index, round);
    const saved = await this.#items.putNew(key, this.#toItem(head, bodyKey));
    if (saved === "saved" || !this.#seals.guards(evaluationId)) return saved;
    const there = await this.#items.get(key);
    if (there === null || !this.#isForeign(evaluationId, there)) return "already-there";
    const unless = isVoid(there)
      ? { expression: "entity = :void", values: { ":void": text("void") } }
      : { expression: "head = :head", values: { ":head": there.head ?? text("") } };
    const marked = this.#toItem({ ...head, wasForged: true }, bodyKey);
    return (await this.#items.putNew(key, marked, unless)) === "saved" ? "replaced" : "already-there";
  }

  /** Nobody may delete anything, so that an item without an entry stays in its place. */
  async removeForeign(id: EvaluationId, span: RunSpan): Promise<EntryName[]> {
    const removed: EntryName[] = [];
    for await (const item of this.#every(id, span)) {
      if (isVoid(item) || !this.#isForeign(id, item)) continue;
      await this.#items.put(keyOfItem(item), itemOf("void", {}));
      removed.push(nameOf(id, item));
    }
    return removed;
  }

  async has({ evaluationId, index, round }: EntryName): Promise<boolean> {
    const fields = this.#seals.guards(evaluationId) ? undefined : "verdict";
    return (await this.#get(evaluationId, entryKey(evaluationId, index, round), fields)) !== null;
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
      yield { index: indexOf(item), verdict: item.verdict?.S as VerdictLetter };
    }
  }

  /** Every round of a run, oldest first. */
  async rounds(id: EvaluationId, runId: RunId): Promise<readonly EntryHead[]> {
    const keys = this.#items.index({ index: "gsi2", hash: runIndex(id, runId) });
    const found = await Promise.all(
      (await Array.fromAsync(keys)).map((item) => this.#get(id, keyOfItem(item))),
    );
    return found.flatMap((item) => (item === null ? [] : [readHead(item)])).toReversed();
  }

  async find(id: EvaluationId, runId: RunId, round: number): Promise<FoundEntry | null> {
    const query = { index: "gsi2", hash: runIndex(id, runId), equal: roundIndex(round) } as const;
    const [key] = await Array.fromAsync(this.#items.index(query));
    return key === undefined ? null : this.#read(id, keyOfItem(key));
  }

  /** The same by the run's number, without the index. */
  findAt(id: EvaluationId, index: number, round: number): Promise<FoundEntry | null> {
    return this.#read(id, entryKey(id, index, round));
  }

  async #read(id: EvaluationId, key: Key): Promise<FoundEntry | null> {
    const item = await this.#get(id, key);
    return item && { head: readHead(item), bodyKey: item.body?.S ?? null };
  }

  /** Rounds of one run are neighbours, the latest the last of them. */
  async *#latest(id: EvaluationId, span: RunSpan, fields?: string): AsyncGenerator<Item> {
    let last: Item | null = null;
    for await (const item of this.#every(id, span, fields)) {
      if (isVoid(item) || (fields === undefined && this.#isForeign(id, item))) continue;
      if (last !== null && indexOf(last) !== indexOf(item)) yield last;
      last = item;
    }
    if (last !== null) yield last;
  }

  async *#every(id: EvaluationId, span: RunSpan, fields?: string): AsyncGenerator<Item> {
    for (const keys of entryKeys(id, span)) yield* this.#items.span(keys, fields);
  }

  async #get(id: EvaluationId, key: Key, fields?: string): Promise<Item | null> {
    const item = await this.#items.get(key, fields === undefined ? {} : { fields });
    if (item === null || isVoid(item)) return null;
    return fields === undefined && this.#isForeign(id, item) ? null : item;
  }

  #toItem(head: EntryHead, bodyKey: string | null): Item {
    const { evaluationId, runId, index, round } = head;
    const fields = {
      head: text(JSON.stringify(head)),
      verdict: text(verdictOf(head)),
      ...(bodyKey === null ? {} : { body: text(bodyKey) }),
    };
    const seal = this.#seals.sign(head, signedFields(index, fields));
    return itemOf("entry", {
      ...fields,
      ...(seal === null ? {} : { seal: text(seal) }),
      gsi2pk: text(runIndex(evaluationId, runId)),
      gsi2sk: text(roundIndex(round)),
    });
  }

  #isForeign(evaluationId: EvaluationId, item: Item): boolean {
    const place = { evaluationId, round: roundOf(item) };
    return this.#seals.isForeign(place, signedFields(indexOf(item), item), item.seal?.S ?? null);
  }
}

const isVoid = ({ verdict }: Item): boolean => verdict === undefined;
const signedFields = (index: number, { head, verdict, body }: Item) => [index, head?.S, verdict?.S, body?.S];
const nameOf = (id: EvaluationId, item: Item): EntryName => ({
  evaluationId: id,
  index: indexOf(item),
  round: roundOf(item),
  runId: (item.gsi2pk?.S ?? "").split("#").at(-1) as RunId,
});
const roundOf = ({ sk }: Item): number => roundOfEntry(sk?.S ?? "");
const indexOf = ({ sk }: Item): number => indexOfEntry(sk?.S ?? "");
const readHead = (item: Item): EntryHead => readStored(EntryHead, item.head?.S, "A log entry");
