import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { type EvaluationPlace, placeOf } from "../readers.ts";
import type { EvaluationState, Saved, Updated } from "../store.ts";
import { readStored } from "../stored.ts";
import { type Changes, type DynamoItems, type Item, itemOf, number, text } from "./items.ts";
import { evaluationsIndex, nameIndex, placeIndex, recordKey } from "./keys.ts";
import { type Manifest, Recent } from "./problems.ts";
import type { TableIndex } from "./table-shape.ts";

export interface StoredEvaluation {
  readonly record: EvaluationRecord;
  readonly problemSet: string;
}

const MOST_MANIFESTS = 100;
const IS_THERE = "attribute_exists(pk)";

/** The items of evaluations: what they are now, and where their problems are. */
export class DynamoEvaluations {
  readonly #items: DynamoItems;
  readonly #manifests = new Recent<Manifest>(MOST_MANIFESTS);

  constructor(items: DynamoItems) {
    this.#items = items;
  }

  create(record: EvaluationRecord, problemSet: string): Promise<Saved> {
    const item = itemOf("evaluation", { ...recordFields(record), problemSet: text(problemSet) });
    return this.#items.putNew(recordKey(record.id), item);
  }

  async update(record: EvaluationRecord, expected?: EvaluationState): Promise<Updated | "unknown"> {
    const changes = { set: recordFields(record), ...conditionOf(expected) };
    if ((await this.#items.update(recordKey(record.id), changes)) === "saved") return "updated";
    return expected === undefined || (await this.find(record.id)) === null ? "unknown" : "changed";
  }

  async find(id: EvaluationId): Promise<StoredEvaluation | null> {
    const item = await this.#items.get(recordKey(id));
    if (item === null) return null;
    const stored = { record: readRecord(item), problemSet: item.problemSet?.S ?? "" };
    this.#manifests.set(id, manifestOf(stored));
    return stored;
  }

  /** The same without a read for those that were found before. */
  async manifest(id: EvaluationId): Promise<Manifest | null> {
    const known = this.#manifests.get(id);
    if (known !== undefined) return known;
    const stored = await this.find(id);
    return stored && manifestOf(stored);
  }

  async after(
    name: string | undefined,
    place: EvaluationPlace | null,
    limit: number,
  ): Promise<EvaluationRecord[]> {
    const index: TableIndex = name === undefined ? "gsi1" : "gsi2";
    const hash = name === undefined ? evaluationsIndex : nameIndex(name);
    const below = place === null ? {} : { below: placeIndex(place) };
    const records: EvaluationRecord[] = [];
    for await (const item of this.#items.index({ index, hash, limit, ...below })) {
      records.push(readRecord(item));
      if (records.length === limit) break;
    }
    return records;
  }
}

export const manifestOf = ({ record, problemSet }: StoredEvaluation): Manifest => {
  const { id, models, problemCount, trials } = record;
  return { id, models, problemCount, trials, problemSet };
};

/** An item of an earlier release does not say what state it is in, or not whose it is. */
const IS_AS_EXPECTED =
  "(attribute_not_exists(#round) OR (#round = :expectedRound AND #status = :expectedStatus))" +
  " AND (attribute_not_exists(#owner) OR #owner = :expectedOwner)";

const conditionOf = (expected: EvaluationState | undefined): Pick<Changes, "condition" | "given"> =>
  expected === undefined
    ? { condition: IS_THERE }
    : {
        condition: `${IS_THERE} AND ${IS_AS_EXPECTED}`,
        given: {
          expectedRound: number(expected.round),
          expectedStatus: text(expected.status),
          expectedOwner: ownerText(expected),
        },
      };

/** Nobody is a value too, so that it can be compared. */
const ownerText = ({ owner }: EvaluationState) => text(JSON.stringify(owner));

function recordFields(record: EvaluationRecord): Item {
  const place = text(placeIndex(placeOf(record)));
  return {
    record: text(JSON.stringify(record)),
    // For conditions, which cannot look into a text.
    round: number(record.round),
    status: text(record.status),
    owner: ownerText(record),
    gsi1pk: text(evaluationsIndex),
    gsi1sk: place,
    gsi2pk: text(nameIndex(record.name)),
    gsi2sk: place,
  };
}

const readRecord = (item: Item): EvaluationRecord =>
  readStored(EvaluationRecord, item.record?.S, "The record of an evaluation");
