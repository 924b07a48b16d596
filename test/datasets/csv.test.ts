import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { csvRecords } from "../../src/datasets/read-files.ts";
import { readDefinition } from "../../src/engine/definition/read-definition.ts";
import { csv } from "../../src/index.ts";
import { sha256 } from "../../src/system/digest.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { OPTIONS } from "./minimal-options.ts";

const rowsOf = async (text: string, options = {}) => {
  const file = join(aProject({ "problems.csv": text }), "problems.csv");
  return Array.fromAsync(csv(file, options));
};

describe("a CSV file", () => {
  test.each<[what: string, text: string, options: object, items: unknown[]]>([
    [
      "gives its usual columns",
      'id,problem,expected,tags\na,1 + 1,2,"sums, easy"\n,2 + 2,4,\n',
      {},
      [
        { id: "a", problem: "1 + 1", expected: "2", tags: ["sums", "easy"] },
        { problem: "2 + 2", expected: "4", tags: [] },
      ],
    ],
    [
      "needs no more than a problem",
      "problem\nfirst\nsecond",
      {},
      [{ problem: "first" }, { problem: "second" }],
    ],
    [
      "gives the columns that are named",
      "question,answer,note\nwho?,me,x\n",
      { map: { problem: "question", expected: "answer" } },
      [{ problem: "who?", expected: "me" }],
    ],
    [
      "gives what a function makes of a row, and leaves out what it does not",
      "n,word\n1,one\n2,two\n",
      {
        map: (row: { n: string; word: string }, index: number) =>
          row.n === "1" ? undefined : [row.word, index],
      },
      [["two", 1]],
    ],
    [
      "gives what a schema makes of a row",
      "problem,expected\n1 + 1,2\n",
      { schema: z.object({ problem: z.string(), expected: z.coerce.number() }) },
      [{ problem: "1 + 1", expected: 2 }],
    ],
    [
      "keeps the id and the tags that a schema does not name",
      "id,problem,expected,tags\na,1 + 1,2,easy\n",
      { schema: z.object({ problem: z.string(), expected: z.coerce.number() }) },
      [{ id: "a", problem: "1 + 1", expected: 2, tags: ["easy"] }],
    ],
    [
      "hands a function what a schema made of a row",
      "question,answer\n1 + 1,2\n",
      {
        schema: z.object({ question: z.string(), answer: z.coerce.number() }),
        map: (row: { question: string; answer: number }) => [row.question, row.answer + 1],
      },
      [["1 + 1", 3]],
    ],
    [
      "may have no header",
      "who?;me\n",
      { columns: ["problem", "expected"], delimiter: ";" },
      [{ problem: "who?", expected: "me" }],
    ],
    [
      "may have commas, quotes and line breaks in quotes, and lines that end as on Windows",
      '\uFEFFproblem,expected\r\n"a, ""b""\r\nc",d\r\n\r\n"",""\r\n',
      {},
      [
        { problem: 'a, "b"\r\nc', expected: "d" },
        { problem: "", expected: "" },
      ],
    ],
  ])("%s", async (_what, text, options, items) => {
    expect(await rowsOf(text, options)).toEqual(items);
  });

  test.each([
    [
      "problem,expected\na,b\nc\n",
      /problems\.csv:3: 1 fields, but there are 2 columns \(problem, expected\)/,
    ],
    ['problem\n"a\nb\n', /problems\.csv:2: a quote is opened and never closed/],
    ['problem\n"a" b\n', /problems\.csv:2: text follows a closing quote/],
    ['problem\r\n"a\r\nb"\r\n\r\n"c" d\r\n', /problems\.csv:5: text follows a closing quote/],
    ['problem\na "b"\n', /problems\.csv:2: a quote is inside a field that is not quoted/],
    [
      "question,answer\na,b\n",
      /problems\.csv:2 has no column "problem", only question, answer; choose with map/,
    ],
  ])("that is wrong (%j) is told by its line", async (text, message) => {
    await expect(rowsOf(text)).rejects.toThrow(message);
  });

  test("that is not there is told with where to put it", async () => {
    await expect(Array.fromAsync(csv("nowhere/x.csv"))).rejects.toThrow(
      "there is no file nowhere/x.csv; a relative path is looked for beside the evaluation file, then in the current folder",
    );
  });

  test("may be named by its address, and read more than once", async () => {
    const folder = aProject({ "problems.csv": "problem\none\n" });
    const rows = csv(pathToFileURL(join(folder, "problems.csv")));
    expect(await Array.fromAsync(rows)).toEqual(await Array.fromAsync(rows));
  });
});

test("whatever is written as CSV is read as it was, however it comes in pieces", async () => {
  const field = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", "é", " ", "😀") });
  const records = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  const written = (fields: readonly string[]) =>
    fields.map((text) => `"${text.replaceAll('"', '""')}"`).join(",");
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 7 }), async (given, size) => {
      const letters = [...given.map(written).join("\r\n")];
      async function* pieces() {
        for (let at = 0; at < letters.length; at += size) yield letters.slice(at, at + size).join("");
      }
      const read = await Array.fromAsync(csvRecords(pieces(), ",", "a.csv"), ({ fields }) => fields);
      expect(read).toEqual(given);
    }),
  );
});

test("ids stay when rows are put into another order", async () => {
  const rows = ["1 + 1,2", "2 + 2,4", "3 + 3,6"];
  const idsOf = async (lines: readonly string[]) => {
    const file = join(aProject({ "sums.csv": ["problem,expected", ...lines].join("\n") }), "sums.csv");
    const { problems } = await readDefinition({ ...OPTIONS, problems: csv(file) }, sha256);
    return Object.fromEntries(problems.map(({ problem, id }) => [problem, id]));
  };
  expect(await idsOf(rows.toReversed())).toEqual(await idsOf(rows));
});
