import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import type { Saved } from "../store.ts";
import { awsError } from "./aws.ts";
import type { Key, KeySpan } from "./keys.ts";
import { TABLE_SHAPE, type TableIndex } from "./table-shape.ts";

export type Item = Record<string, AttributeValue>;

export interface Changes {
  readonly set: Item;
  readonly add?: Item;
  /** Values that only the condition names. */
  readonly given?: Item;
  readonly condition?: string;
}

interface IndexQuery {
  readonly index: TableIndex;
  readonly hash: string;
  /** Only range keys below this one, the highest first. */
  readonly below?: string;
  readonly equal?: string;
  readonly limit?: number;
}

/** The items of one table; reads see every write that was answered, unless they say that they need not, or go through an index. */
export class DynamoItems {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async get(
    key: Key,
    { fields, isConsistent = true }: { readonly fields?: string; readonly isConsistent?: boolean } = {},
  ): Promise<Item | null> {
    const projection = fields === undefined ? {} : { ProjectionExpression: fields };
    const { Item: item } = await this.#guard(
      this.#client.send(
        new GetItemCommand({
          TableName: this.#table,
          Key: keyItem(key),
          ConsistentRead: isConsistent,
          ...projection,
        }),
      ),
    );
    return item ?? null;
  }

  /** Up to 100 at once, in any order, without those that are not there. */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const wanted = { [this.#table]: { Keys: keys.map(keyItem), ConsistentRead: true } };
    const answer = await this.#guard(this.#client.send(new BatchGetItemCommand({ RequestItems: wanted })));
    const found = answer.Responses?.[this.#table] ?? [];
    // Those that a busy table left out; one by one the SDK waits for its turn.
    const left = answer.UnprocessedKeys?.[this.#table]?.Keys ?? [];
    const late = await Promise.all(left.map((key) => this.get(keyOfItem(key))));
    return [...found, ...late.filter((item) => item !== null)];
  }

  async put(key: Key, item: Item): Promise<void> {
    await this.#guard(this.#client.send(new PutItemCommand(this.#putInput(key, item))));
  }

  /** Only where nothing is yet, or where the condition allows it. */
  putNew(key: Key, item: Item, unless: { expression: string; values: Item } | null = null): Promise<Saved> {
    const isNew = `attribute_not_exists(${TABLE_SHAPE.hashKey})`;
    const condition =
      unless === null
        ? { ConditionExpression: isNew }
        : {
            ConditionExpression: `${isNew} OR ${unless.expression}`,
            ExpressionAttributeValues: unless.values,
          };
    return this.#conditionally(
      this.#client.send(new PutItemCommand({ ...this.#putInput(key, item), ...condition })),
    );
  }

  /** `already-there` when the condition does not hold. */
  update(key: Key, changes: Changes): Promise<Saved> {
    return this.#conditionally(this.#client.send(new UpdateItemCommand(this.#updateInput(key, changes))));
  }

  /** The item as it is then; null when the condition does not hold. */
  async change(key: Key, changes: Changes): Promise<Item | null> {
    let item: Item | undefined;
    const input = { ...this.#updateInput(key, changes), ReturnValues: "ALL_NEW" as const };
    const sending = this.#client.send(new UpdateItemCommand(input)).then(({ Attributes }) => {
      item = Attributes;
    });
    return (await this.#conditionally(sending)) === "saved" ? (item ?? {}) : null;
  }

  /** Page by page, in the order of keys. */
  span({ pk, first, last }: KeySpan, fields?: string, consistent = true): AsyncGenerator<Item> {
    const { hashKey, rangeKey } = TABLE_SHAPE;
    return this.#query({
      KeyConditionExpression: `${hashKey} = :pk AND ${rangeKey} BETWEEN :first AND :last`,
      ExpressionAttributeValues: { ":pk": text(pk), ":first": text(first), ":last": text(last) },
      ConsistentRead: consistent,
      ...(fields === undefined ? {} : { ProjectionExpression: fields }),
    });
  }

  index({ index, hash, below, equal, limit }: IndexQuery): AsyncGenerator<Item> {
    const { hashKey, rangeKey } = TABLE_SHAPE.indexes[index];
    const range = below ?? equal;
    const condition = range === undefined ? "" : ` AND ${rangeKey} ${below === undefined ? "=" : "<"} :range`;
    return this.#query({
      IndexName: index,
      KeyConditionExpression: `${hashKey} = :hash${condition}`,
      ExpressionAttributeValues: {
        ":hash": text(hash),
        ...(range === undefined ? {} : { ":range": text(range) }),
      },
      ScanIndexForward: false,
      ...(limit === undefined ? {} : { Limit: limit }),
    });
  }

  async *#query(query: Omit<QueryCommandInput, "TableName">): AsyncGenerator<Item> {
    let start: Item | undefined;
    do {
      const page = await this.#guard(
        this.#client.send(
          new QueryCommand({
            TableName: this.#table,
            ...query,
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        ),
      );
      yield* page.Items ?? [];
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
  }

  #updateInput(key: Key, { set, add = {}, given = {}, condition }: Changes) {
    const fields = { ...set, ...add };
    const named = condition === undefined ? [] : (condition.match(/(?<=#)\w+/g) ?? []);
    return {
      TableName: this.#table,
      Key: keyItem(key),
      UpdateExpression: [clause("SET", set, " = "), clause("ADD", add, " ")].join(" ").trim(),
      // Some of our names are words of DynamoDB's own.
      ExpressionAttributeNames: Object.fromEntries(
        [...Object.keys(fields), ...named].map((name) => [`#${name}`, name]),
      ),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries({ ...fields, ...given }).map(([name, value]) => [`:${name}`, value]),
      ),
      ...(condition === undefined ? {} : { ConditionExpression: condition }),
    };
  }

  #putInput(key: Key, item: Item) {
    return { TableName: this.#table, Item: { ...keyItem(key), ...item } };
  }

  async #conditionally(sending: Promise<unknown>): Promise<Saved> {
    try {
      await sending;
      return "saved";
    } catch (cause) {
      if (cause instanceof Error && cause.name === "ConditionalCheckFailedException") return "already-there";
      throw awsError(cause, this.#place);
    }
  }

  #guard<T>(sending: Promise<T>): Promise<T> {
    return sending.catch((cause) => {
      throw awsError(cause, this.#place);
    });
  }

  get #place(): string {
    return `The table ${this.#table}`;
  }
}

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });

const keyItem = ({ pk, sk }: Key): Item => ({
  [TABLE_SHAPE.hashKey]: text(pk),
  [TABLE_SHAPE.rangeKey]: text(sk),
});

export const keyOfItem = (item: Item): Key => ({
  pk: item[TABLE_SHAPE.hashKey]?.S ?? "",
  sk: item[TABLE_SHAPE.rangeKey]?.S ?? "",
});

/** Adds to an item's fields what every item says of itself. */
export const itemOf = (entity: string, fields: Item): Item => ({
  entity: text(entity),
  v: number(1),
  ...fields,
});

function clause(verb: "SET" | "ADD", fields: Item, link: string): string {
  const parts = Object.keys(fields).map((name) => `#${name}${link}:${name}`);
  return parts.length === 0 ? "" : `${verb} ${parts.join(", ")}`;
}
