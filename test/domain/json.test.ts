import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, Json, MAX_HELD_LEVELS, MAX_LEVELS, toStored } from "../../src/domain/json.ts";
import { storableJson } from "../fixtures/records/storable-json.ts";

class Point {
  x = 1;
}

const cycle: Record<string, unknown> = { name: "cycle" };
cycle.self = { again: [cycle] };

const selfList: unknown[] = [];
selfList.push(selfList);

const nested = (levels: number): unknown => {
  let value: unknown = "core";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
};

describe("toStored", () => {
  const shared = { city: "Paris" };
  test.each<[what: string, value: unknown, text: string]>([
    ["a string", "a\n", '"a\\n"'],
    ["null", null, "null"],
    ["a list", [1, [2]], "[1,[2]]"],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["an undefined field, which is left out", { a: 1, b: undefined }, '{"a":1}'],
    ["a date", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["an instance with toJSON", { toJSON: () => ({ x: 1 }) }, '{"x":1}'],
    [
      "one object in two places",
      [shared, { again: shared }],
      '[{"city":"Paris"},{"again":{"city":"Paris"}}]',
    ],
    ["half of a surrogate pair", "\ud800", '"\\ud800"'],
    ["a hundred levels", nested(100), JSON.stringify(nested(100))],
  ])("holds %s", (_what, value, text) => {
    expect(toStored(value)).toEqual({ kind: "json", text });
  });

  test.each<[what: string, value: unknown, why: RegExp]>([
    ["a cycle", cycle, /^a cycle at result\.self\.again\[0\]$/],
    ["a list in itself", selfList, /^a cycle at result\[0\]$/],
    [
      "a key that would be a prototype",
      [JSON.parse('{"__proto__":1}')],
      /^a key "__proto__" at result\[0\]$/,
    ],
    ["a BigInt", { a: [1n] }, /^a BigInt at result\.a\[0\]$/],
    ["NaN", { a: Number.NaN }, /^NaN at result\.a$/],
    ["infinity", [-Infinity], /^-Infinity at result\[0\]$/],
    ["a Map", { m: new Map() }, /^an instance of Map at result\.m$/],
    ["a class instance", new Point(), /^an instance of Point at result$/],
    ["a function", { f: () => 1 }, /^a function at result\.f$/],
    ["a symbol", [Symbol("s")], /^a symbol at result\[0\]$/],
    ["undefined", undefined, /^undefined at result$/],
    ["undefined in a list", [undefined], /^undefined at result\[0\]$/],
    ["a hole in a list", new Array(1), /^undefined at result\[0\]$/],
    ["a toJSON that gives what JSON cannot hold", { toJSON: () => 1n }, /^a BigInt at result$/],
    [
      "a toJSON that gives a date, which JSON would store as {}",
      { toJSON: () => new Date(0) },
      /Date at result/,
    ],
    ["10,000 levels", nested(10_000), /nested deeper than \d+ levels at result/],
    ["200,000 levels", nested(200_000), /nested deeper than \d+ levels at result/],
    [
      "a getter that throws",
      {
        get value() {
          throw new Error("not now");
        },
      },
      /threw while it was read: not now/,
    ],
    [
      "a toJSON that throws",
      {
        toJSON() {
          throw new Error("not ever");
        },
      },
      /threw while it was read: not ever/,
    ],
  ])("refuses %s and says where", (_what, value, why) => {
    const stored = toStored(value);
    expect(stored).toMatchObject({ kind: "unstorable", why: expect.stringMatching(why) });
    if (stored.kind === "unstorable") expect(stored.why.length).toBeLessThan(300);
  });

  test("gives back exactly the JSON that went in", () => {
    fc.assert(
      fc.property(storableJson({ maxDepth: 6 }), (value) => {
        expect(toStored(value)).toEqual({ kind: "json", text: JSON.stringify(value) });
      }),
    );
  });

  test("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (value) => {
          expect(["json", "unstorable"]).toContain(toStored(value).kind);
        },
      ),
    );
  });
});

describe("Json", () => {
  test("takes every JSON as it is", () => {
    fc.assert(
      fc.property(storableJson({ maxDepth: 6 }), (value) => {
        expect(Json.parse(value)).toEqual(value);
      }),
    );
  });

  test.each<[what: string, value: unknown]>([
    ["what is deeper than anything that we write", nested(MAX_HELD_LEVELS + 1)],
    ["what is deeper than the stack", nested(200_000)],
    ["a cycle", cycle],
    ["infinity, which JSON.parse makes of 1e999", JSON.parse("[1e999]")],
    ["a Map", { m: new Map() }],
    ["a BigInt", [1n]],
    ["undefined", undefined],
  ])("refuses %s", (_what, value) => {
    expect(Json.safeParse(value).success).toBe(false);
  });

  test("takes what is as deep as a value may be, however it is wrapped", () => {
    expect(toStored(nested(MAX_LEVELS)).kind).toBe("json");
    expect(toStored(nested(MAX_LEVELS + 1)).kind).toBe("unstorable");
    expect(Json.safeParse(nested(MAX_HELD_LEVELS)).success).toBe(true);
  });

  test("leaves out keys that would be a prototype", () => {
    const value = JSON.parse('{"a":[{"__proto__":{"b":1},"c":2}]}');
    expect(JSON.stringify(Json.parse(value))).toBe('{"a":[{"c":2}]}');
  });
});

describe("canonicalJson", () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

  test("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test("gives different texts to different contents", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(JSON.parse(canonicalJson(a))).toEqual(a);
        const isSame = canonicalJson(a) === canonicalJson(b);
        expect(isSame).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      }),
    );
  });

  test.each<[a: Json, b: Json]>([
    [["a,b"], ["a", "b"]],
    [{ a: "1" }, { a: 1 }],
    [{ a: null }, {}],
    [{ "a:1,b": 2 }, { a: 1, b: 2 }],
    ["[]", []],
  ])("tells %j from %j", (a, b) => {
    expect(canonicalJson(a)).not.toBe(canonicalJson(b));
  });
});

const rebuild = (value: Json, order: (keys: string[]) => string[]): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => rebuild(item, order));
  if (value === null || typeof value !== "object") return value;
  const fields = value as Readonly<Record<string, Json>>;
  return Object.fromEntries(
    order(Object.keys(fields)).map((key) => [key, rebuild(fields[key] ?? null, order)]),
  );
};

const reversed = (value: Json): Json => rebuild(value, (keys) => keys.toReversed());
const sorted = (value: Json): Json => rebuild(value, (keys) => keys.toSorted());
