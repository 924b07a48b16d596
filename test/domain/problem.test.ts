import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemReader, type ReadProblem } from "../../src/domain/problem.ts";
import { sha256 } from "../../src/system/digest.ts";
import { storableJson } from "../fixtures/records/storable-json.ts";

const readAll = (items: readonly unknown[]): ReadProblem[] => items.map(problemReader(sha256));

const read = (item: unknown) => {
  const answer = problemReader(sha256)(item);
  if (answer.kind === "refused") throw new Error(answer.why);
  return answer.problem;
};

const idOf = (answer: ReadProblem): string => (answer.kind === "problem" ? answer.problem.id : answer.kind);

describe("what users write", () => {
  test.each<[what: string, item: unknown, problem: unknown, expected: unknown]>([
    ["an item", "2 + 2", "2 + 2", null],
    ["a pair", ["2 + 2", 4], "2 + 2", 4],
    ["a pair of lists", [[1, 2], [3]], [1, 2], [3]],
    ["a list of one, which is the problem", ["a"], ["a"], null],
    ["a list of three, which is the problem", [1, 2, 3], [1, 2, 3], null],
    ["an empty list", [], [], null],
    ["a named list of two, which is the problem", { problem: [1, 2], expected: 3 }, [1, 2], 3],
    ["a named problem alone", { problem: "2 + 2" }, "2 + 2", null],
    ["an object without `problem`, which is the problem", { a: 1, b: 2 }, { a: 1, b: 2 }, null],
    ["a number", 7, 7, null],
    ["null", null, null, null],
    ["a date, as it will be stored", new Date(0), "1970-01-01T00:00:00.000Z", null],
    ["an expected undefined", ["2 + 2", undefined], "2 + 2", null],
  ])("%s is read", (_what, item, problem, expected) => {
    expect(read(item)).toMatchObject({ problem, expected, tags: [] });
  });

  test("id and tags are taken as they are given", () => {
    expect(read({ problem: 1, id: "first", tags: ["easy"] })).toMatchObject({ id: "first", tags: ["easy"] });
  });

  const cyclic: unknown[] = [1, 2, 3];
  cyclic.push(cyclic);
  test.each<[what: string, item: unknown, path: string, why: RegExp]>([
    ["a field it does not know", { problem: 1, level: "hard" }, "level", /put it inside problem/],
    ["an id that is no text", { problem: 1, id: 7 }, "id", /expected a string, got number/],
    ["an id with a space", { problem: 1, id: "a b" }, "id", /"a b".*no spaces or #/],
    ["an empty id", { problem: 1, id: "" }, "id", /1 to 128/],
    ["an id of 129 characters", { problem: 1, id: "x".repeat(129) }, "id", /1 to 128/],
    ["tags that are no list", { problem: 1, tags: "easy" }, "tags", /list of strings/],
    ["a tag that is no text", { problem: 1, tags: [1] }, "tags", /list of strings/],
    ["undefined", undefined, "problem", /undefined at problem/],
    ["a named problem that is undefined", { problem: undefined }, "problem", /undefined at problem/],
    ["a cycle", cyclic, "problem", /a cycle at problem\[3\]/],
    ["an expected BigInt", ["a", 1n], "expected", /a BigInt at expected/],
    ["an instance", { problem: new Map() }, "problem", /an instance of Map/],
  ])("%s is refused", (_what, item, path, why) => {
    expect(problemReader(sha256)(item)).toMatchObject({
      kind: "refused",
      path,
      why: expect.stringMatching(why),
    });
  });

  test("a problem that is given again is the same one, with an id or without", () => {
    const named = { problem: 1, expected: 2, id: "a" };
    const answers = readAll(["x", "x", ["x", null], { problem: "x", tags: ["easy"] }, named, { ...named }]);
    expect(answers.map(({ kind }) => kind)).toEqual([
      ...["problem", "repeated", "repeated", "repeated"],
      ...["problem", "repeated"],
    ]);
  });

  test("the same content under ids of their own is two problems", () => {
    const answers = readAll([{ problem: 1, id: "a" }, { problem: 1, id: "b" }, 1]);
    expect(answers.map(idOf).slice(0, 2)).toEqual(["a", "b"]);
    expect(answers.map(({ kind }) => kind)).toEqual(["problem", "problem", "problem"]);
  });

  test("an id that is given twice is refused", () => {
    const [, second] = readAll([
      { problem: 1, id: "a" },
      { problem: 2, id: "a" },
    ]);
    expect(second).toMatchObject({
      kind: "refused",
      path: "id",
      why: '"a" is given twice; ids must be unique',
    });
  });
});

describe("an id by content", () => {
  const problems = fc.uniqueArray(fc.tuple(storableJson({ maxDepth: 2 }), storableJson({ maxDepth: 2 })), {
    selector: (pair) => JSON.stringify(pair),
    maxLength: 20,
  });

  test("does not depend on the place in the list", () => {
    fc.assert(
      fc.property(problems, (items) => {
        const forth = readAll(items).map(idOf).toSorted();
        const back = readAll(items.toReversed()).map(idOf).toSorted();
        expect(back).toEqual(forth);
      }),
    );
  });

  test("is never given twice", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(storableJson({ maxDepth: 2 }), fc.boolean())), (items) => {
        const answers = readAll(items.concat(items));
        const ids = answers.filter(({ kind }) => kind === "problem").map(idOf);
        expect(new Set(ids).size).toBe(ids.length);
        expect(answers.slice(items.length).map(idOf)).toEqual(items.map(() => "repeated"));
      }),
    );
  });

  test("is longer where another content has the short one", () => {
    const read = problemReader((text) => `${"0".repeat(12)}${sha256(text).slice(0, 52)}`);
    const [first, second, again] = ["a", "b", "b"].map(read);
    expect(first).toMatchObject({ problem: { id: "000000000000" } });
    expect(second).toMatchObject({ problem: { id: expect.stringMatching(/^0{12}[0-9a-f]{12}$/) } });
    expect(again).toMatchObject({ kind: "repeated" });
  });

  test("is the same for the same content in another form or key order", () => {
    const form = { problem: { a: 1, b: 2 }, expected: true, tags: ["easy"] };
    expect(read([{ b: 2, a: 1 }, true]).id).toBe(read(form).id);
  });

  test("differs when only the expected value does", () => {
    expect(read(["a", 1]).id).not.toBe(read(["a", 2]).id);
  });
});
