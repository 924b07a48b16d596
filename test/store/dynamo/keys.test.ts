import fc from "fast-check";
import { expect, test } from "vitest";
import { EvaluationId } from "../../../src/domain/ids.ts";
import {
  chunkKey,
  chunkKeys,
  claimKey,
  entryKey,
  entryKeys,
  type Key,
  type KeySpan,
  nameIndex,
  progressKey,
  progressKeys,
} from "../../../src/store/dynamo/keys.ts";
import { TABLE_SHAPE } from "../../../src/store/dynamo/table-shape.ts";
import { createTableInput } from "../../fixtures/aws/dynamo-table.ts";

const id = EvaluationId.parse("capitals-1");

const spans = fc
  .tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 1, max: 3_000 }))
  .map(([from, length]) => ({ from, to: from + length }));
const anywhere = fc.integer({ min: -1_500, max: 4_500 });
const rounds = fc.integer({ min: 1, max: 999_999 });

const isIn = ({ pk, sk }: Key, parts: Iterable<KeySpan>): boolean =>
  [...parts].some((part) => part.pk === pk && part.first <= sk && sk <= part.last);

test("the keys of a span of runs hold the entries of those runs and of no others", () => {
  fc.assert(
    fc.property(spans, anywhere, rounds, (span, offset, round) => {
      const index = Math.max(0, span.from + offset);
      const isWanted = index >= span.from && index < span.to;
      expect(isIn(entryKey(id, index, round), entryKeys(id, span))).toBe(isWanted);
    }),
  );
});

test("the keys of a span of problems hold their chunks and no others", () => {
  fc.assert(
    fc.property(spans, anywhere, (span, offset) => {
      const chunk = Math.max(0, Math.floor(span.from / 16) + offset);
      const isWanted = chunk >= Math.floor(span.from / 16) && chunk <= Math.floor((span.to - 1) / 16);
      expect(isIn(chunkKey(id, "set", chunk), chunkKeys(id, "set", span))).toBe(isWanted);
    }),
  );
});

test("the keys of a round's progress hold every run of the plan, in that round alone", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), rounds, rounds, (one, another, round, other) => {
      const [index, planned] = [Math.min(one, another), Math.max(one, another) + 1];
      const found = isIn(progressKey(id, index, other), progressKeys(id, round, planned));
      expect(found).toBe(other === round);
    }),
  );
});

test("keys sort as their numbers do", () => {
  const bySk = (a: Key, b: Key) => (a.sk < b.sk ? -1 : 1);
  const keys = [2, 10, 1, 100, 99].flatMap((index) => [2, 10, 1].map((round) => entryKey(id, index, round)));
  const sorted = [1, 2, 10, 99, 100].flatMap((index) =>
    [1, 2, 10].map((round) => entryKey(id, index, round)),
  );
  expect(keys.sort(bySk)).toEqual(sorted);
});

test("no two runs in flight of far apart shards share a partition", () => {
  const partitions = Array.from({ length: 20 }, (_, shard) => entryKey(id, shard * 500, 1).pk);
  expect(new Set(partitions).size).toBe(20);
});

test.each([
  ["a # in it", "a#b"],
  ["a lone surrogate", "\ud800"],
  ["ten thousand characters", "x".repeat(10_000)],
])("a text with %s makes a short key of its own", (_what, text) => {
  const keys = [claimKey(text).pk, nameIndex(text)];
  for (const key of keys) expect(key).toMatch(/^(?:request|name)#[0-9a-f]{64}$/);
  expect(claimKey(text)).not.toEqual(claimKey("\ud801"));
});

test("the table is made of the shape that stacks use", () => {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = createTableInput("t");
  expect(KeySchema?.map(({ AttributeName }) => AttributeName)).toEqual([
    TABLE_SHAPE.hashKey,
    TABLE_SHAPE.rangeKey,
  ]);
  expect(AttributeDefinitions?.map(({ AttributeName }) => AttributeName)).toEqual([
    "pk",
    "sk",
    "gsi1pk",
    "gsi1sk",
    "gsi2pk",
    "gsi2sk",
  ]);
  expect(GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(["gsi1", "gsi2"]);
});
