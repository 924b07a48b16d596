import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Checker } from "../../src/checkers/checker.ts";
import { deepEqual, exact, includes, matches, numeric, schema, subset } from "../../src/checkers/compare.ts";
import { aCheckContext } from "../fixtures/checkers/a-check-context.ts";

type Row = [
  name: string,
  checker: Checker,
  result: unknown,
  expected: unknown,
  correct: boolean | null,
  reason: string,
];

const check = (checker: Checker, result: unknown, expected: unknown) =>
  checker(result, expected, aCheckContext());

describe.each<[string, Row[]]>([
  [
    "exact",
    [
      ["the same text", exact(), "Lima", "Lima", true, 'is "Lima", as expected'],
      ["another text", exact(), "Cusco", "Lima", false, 'is "Cusco", expected "Lima"'],
      ["the value of a result", exact(), { value: "Lima", why: "-" }, "Lima", true, 'is "Lima", as expected'],
      ["a number and its text", exact(), "391", 391, false, 'is "391", expected 391'],
      ["other case", exact({ ignoreCase: true }), "LIMA", "Lima", true, 'is "LIMA", as expected'],
      ["other spaces", exact({ ignoreSpaces: true }), " New \n York ", "New York", true, "as expected"],
      ["a list", exact(), [1, 2], [1, 2], true, "is [1,2], as expected"],
      [
        "an object with another field",
        exact(),
        { a: { b: 1 } },
        { a: { b: 2 } },
        false,
        "a.b is 1, expected 2",
      ],
      [
        "an object where a value is expected",
        exact(),
        { a: 1 },
        "Lima",
        false,
        'is {"a":1}, expected "Lima"',
      ],
      ["false", exact(), { value: false }, false, true, "is false, as expected"],
      ["no expected value", exact(), "Lima", null, null, "there is no expected value"],
    ],
  ],
  [
    "includes",
    [
      ["a part", includes(), "It is Lima.", "Lima", true, 'includes "Lima"'],
      ["a part of the value", includes(), { value: "It is Lima." }, "Lima", true, 'includes "Lima"'],
      ["no such part", includes(), "It is Cusco.", "Lima", false, '"It is Cusco." does not include "Lima"'],
      ["other case", includes("LIMA", { ignoreCase: true }), "lima", null, true, 'includes "LIMA"'],
      ["several parts", includes(["a", "b", "z"]), "abc", null, false, '"abc" does not include "z"'],
      ["expected parts", includes(), "abc", ["a", "b"], true, 'includes "a", "b"'],
      ["an item of a list", includes(), ["Lima", "Cusco"], "Lima", true, 'includes "Lima"'],
      ["half an item of a list", includes(), ["Lima"], "Lim", false, 'does not include "Lim"'],
      ["a number in a text", includes(), "It is 42.", 42, true, "includes 42"],
      ["nothing to look for", includes(), "abc", null, null, "there is nothing to look for"],
    ],
  ],
  [
    "matches",
    [
      ["a given pattern", matches(/^li/i), "Lima", null, true, '"Lima" matches /^li/i'],
      ["an expected pattern", matches(), { value: "Lima" }, "^L.{3}$", true, '"Lima" matches /^L.{3}$/u'],
      ["another text", matches(/\d+/), "Lima", null, false, '"Lima" does not match /\\d+/'],
      ["no pattern", matches(), "Lima", null, null, "there is no pattern"],
    ],
  ],
  [
    "numeric",
    [
      ["the same number", numeric(), 42, 42, true, "is 42, as expected"],
      ["the value of a result", numeric(), { value: "42" }, 42, true, "is 42, as expected"],
      ["a number as text", numeric(), " 1,234.50 ", 1234.5, true, "is 1234.5, as expected"],
      ["an expected number as text", numeric(), 391, "391", true, "is 391, as expected"],
      ["a power of ten", numeric(), "1.5e3", 1500, true, "is 1500, as expected"],
      ["what binary fractions are off by", numeric(), 0.1 + 0.2, 0.3, true, "close enough to 0.3"],
      ["another number", numeric(), 41, 42, false, "is 41, expected 42"],
      ["within the tolerance", numeric({ tolerance: 1 }), 41, 42, true, "is 41, close enough to 42"],
      ["beyond the tolerance", numeric({ tolerance: 1 }), 40, 42, false, "is 40, expected 42 ± 1"],
      ["within a share", numeric({ relative: 0.1 }), -95, -100, true, "is -95, close enough to -100"],
      [
        "a text with a number in it",
        numeric(),
        "about 42",
        42,
        false,
        '"about 42" is not a number, expected 42',
      ],
      ["the last number in a text", numeric({ findInText: true }), "6 × 7 = 42.", 42, true, "is 42"],
      [
        "a text without a number",
        numeric({ findInText: true }),
        "many -",
        42,
        false,
        '"many -" is not a number',
      ],
      ["an empty text", numeric(), "", 0, false, '"" is not a number, expected 0'],
      [
        "an expected value that is not a number",
        numeric(),
        1,
        "one",
        null,
        'the expected value "one" is not a number',
      ],
    ],
  ],
  [
    "deepEqual",
    [
      ["other order of keys", deepEqual(), { a: 1, b: [2] }, { b: [2], a: 1 }, true, "is equal"],
      ["other order of items", deepEqual(), [1, 2], [2, 1], false, "[0] is 1, expected 2"],
      ["a missing field", deepEqual(), {}, { a: { b: 1 } }, false, 'a is missing, expected {"b":1}'],
      ["a field too many", deepEqual(), { a: 1 }, {}, false, "a is 1, expected nothing there"],
      ["an item too many", deepEqual(), [{ x: 1 }, 2], [{ x: 1 }], false, "[1] is 2, expected nothing there"],
      ["a list and an object", deepEqual(), [], {}, false, "is [], expected {}"],
      ["the whole result, not its value", deepEqual(), { value: 1 }, 1, false, 'is {"value":1}, expected 1'],
    ],
  ],
  [
    "subset",
    [
      [
        "more fields than expected",
        subset(),
        { a: 1, b: { c: 2, d: 3 } },
        { b: { c: 2 } },
        true,
        "has everything",
      ],
      ["a missing field", subset(), { a: 1 }, { a: 1, b: 2 }, false, "b is missing, expected 2"],
      ["another value", subset(), { a: { b: 1 } }, { a: { b: 2 } }, false, "a.b is 1, expected 2"],
      ["items anywhere", subset(), [3, { a: 1, b: 2 }, 1], [1, { a: 1 }], true, "has everything"],
      ["an item twice", subset(), [1], [1, 1], false, "[1]: no item of its own has 1"],
      ["an item that leaves room", subset(), [{ a: 1 }, { b: 2 }], [{}, { a: 1 }], true, "has everything"],
      ["the value of a result", subset(), { value: "Lima" }, "Lima", true, "has everything"],
      ["no expected value", subset(), {}, null, null, "there is no expected value"],
    ],
  ],
  [
    "schema",
    [
      ["the shape", schema(z.object({ a: z.int() })), { a: 1, b: 2 }, null, true, "has the expected shape"],
      [
        "another shape",
        schema(z.object({ a: z.int() })),
        { a: "1" },
        null,
        false,
        "a: Invalid input: expected number",
      ],
      ["no object", schema(z.object({})), "x", null, false, "the result: Invalid input: expected object"],
    ],
  ],
])("%s", (_, rows) => {
  test.each(rows)("%s", async (_name, checker, result, expected, correct, reason) => {
    const finding = await check(checker, result, expected);
    expect(finding).toMatchObject({ correct, reason: expect.stringContaining(reason) });
    if (correct !== false) expect(finding).toMatchObject({ score: correct === null ? null : 1 });
  });
});

test.each<[string, Checker, unknown, unknown, number]>([
  ["parts of a text", includes(), "abc", ["a", "b", "y", "z"], 0.5],
  ["fields", subset(), { a: 1, b: 2 }, { a: 1, b: 3, c: 4, d: { e: 5 } }, 0.25],
  ["nothing", exact(), "a", "b", 0],
])(
  "a wrong result has the share of what is right as its score: %s",
  async (_, checker, result, expected, score) => {
    expect(await check(checker, result, expected)).toMatchObject({ correct: false, score });
  },
);

test("a pattern does not remember its last match", async () => {
  const checker = matches(/a/g);
  expect(await check(checker, "a", null)).toMatchObject({ correct: true });
  expect(await check(checker, "a", null)).toMatchObject({ correct: true });
});

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const given = json.filter((value) => value !== null);

describe("whatever the value", () => {
  test("a value equals itself", async () => {
    await fc.assert(
      fc.asyncProperty(given, async (value) => {
        for (const checker of [exact(), deepEqual(), subset()])
          expect(await check(checker, structuredClone(value), value)).toMatchObject({
            correct: true,
            score: 1,
          });
      }),
    );
  });

  test("exact, deepEqual and the canonical text agree on objects and lists", async () => {
    const nested = given.filter((value) => typeof value === "object");
    await fc.assert(
      fc.asyncProperty(nested, nested, async (a, b) => {
        const verdicts = await Promise.all([exact(), deepEqual()].map((checker) => check(checker, a, b)));
        const isSame = sorted(a) === sorted(b);
        expect(verdicts).toMatchObject([{ correct: isSame }, { correct: isSame }]);
      }),
    );
  });

  test("what is equal is a subset, in both directions", async () => {
    const list = fc.array(fc.oneof(fc.integer(), fc.record({ a: fc.integer(), b: fc.boolean() })));
    await fc.assert(
      fc.asyncProperty(list, list, fc.nat(), async (wanted, more, turn) => {
        const all = [...more, ...wanted];
        const turned = [...all.slice(turn % (all.length + 1)), ...all.slice(0, turn % (all.length + 1))];
        expect(await check(subset(), turned, wanted)).toMatchObject({ correct: true });
      }),
    );
  });

  test("a number is found in the text that says it", async () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 });
    await fc.assert(
      fc.asyncProperty(number, async (n) => {
        expect(await check(numeric(), String(n), n)).toMatchObject({ correct: true });
        expect(await check(numeric({ findInText: true }), `It is ${n} km`, n)).toMatchObject({
          correct: true,
        });
      }),
    );
  });
});

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
