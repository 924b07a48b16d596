import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { jsonl } from "../../src/index.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { nestedJson } from "../fixtures/records/nested-json.ts";

const itemsOf = (text: string, options = {}) =>
  Array.fromAsync(jsonl(join(aProject({ "problems.jsonl": text }), "problems.jsonl"), options));

test("every line is an item as problems may hold it", async () => {
  const text = '"who?"\n["1 + 1", 2]\n\n{"problem": {"deep": true}, "id": "a", "tags": ["x"]}';
  expect(await itemsOf(text)).toEqual([
    "who?",
    ["1 + 1", 2],
    { problem: { deep: true }, id: "a", tags: ["x"] },
  ]);
});

test("columns are taken by name, tags as a list or a text", async () => {
  const text = '{"q": "a", "a": 1, "t": ["x", "y"], "n": 7}\n{"q": "b", "a": null, "t": "x, z", "n": 8}\n';
  expect(await itemsOf(text, { map: { problem: "q", expected: "a", tags: "t", id: "n" } })).toEqual([
    { problem: "a", expected: 1, tags: ["x", "y"], id: "7" },
    { problem: "b", expected: null, tags: ["x", "z"], id: "8" },
  ]);
});

const NUMBERED = z.object({ problem: z.string(), expected: z.number() });

test.each<[text: string, options: object, message: RegExp]>([
  ['"a"\n\n{"b": \n', {}, /problems\.jsonl:3 is not JSON \(.*\); each line is one value/],
  ['["a", "b"]\n', { map: { problem: "q" } }, /problems\.jsonl:1 is not an object, so it has no columns/],
  [
    '{"problem": "a", "expected": "3"}\n',
    { schema: NUMBERED },
    /problems\.jsonl:1 does not fit the schema: expected: Invalid input: expected number/,
  ],
  ['{"expected": 3}\n', { schema: NUMBERED }, /problems\.jsonl:1 does not fit the schema: problem: /],
  [`"a"\n{"a": ${nestedJson(3_000)}}\n`, {}, /problems\.jsonl:2 is nested deeper than 512 levels/],
  ['{"a": 1}\n', { map: { problem: "q" } }, /problems\.jsonl:1 has no column "q", only a/],
])("a line that is wrong (%j) is told by its number", async (text, options, message) => {
  await expect(itemsOf(text, options)).rejects.toThrow(message);
});
