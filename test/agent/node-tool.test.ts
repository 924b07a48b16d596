import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { nodeTool, type ProcessingUnit } from "../../src/agent/node-tool.ts";
import { aRunContext } from "../fixtures/agent/a-run-context.ts";

const add: ProcessingUnit = {
  type: "math.AddNumbers",
  title: "Add",
  description: "Adds two numbers.",
  properties: { a: { type: "number" }, b: { type: "number", default: 1 }, _cache: {} },
  process: ({ a, b }: { a: number; b: number }) => a + b,
};

const run = (unit: ProcessingUnit, input: unknown) => nodeTool(unit).run(input, aRunContext());

test("a unit becomes a tool with its properties as input", () => {
  expect(nodeTool(add)).toMatchObject({
    name: "node_math_add_numbers",
    description: "Adds two numbers.",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number", default: 1 } },
    },
  });
});

test.each([
  ["nodetool.text.ConcatList", "node_nodetool_text_concat_list"],
  ["HTTPGet", "node_http_get"],
  ["already_snake", "node_already_snake"],
  ["Résumé v2!", "node_r_sum_v2"],
  [`a.very.long.${"x".repeat(70)}.Type`, `node_${"x".repeat(54)}_type`],
])("the unit %s is the tool %s", (type, name) => {
  expect(nodeTool({ ...add, type }).name).toBe(name);
});

test("every type gives a name that providers take", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (type) => {
      expect(nodeTool({ ...add, type }).name).toMatch(/^node_[a-z0-9_]{0,59}$/);
    }),
  );
});

test("a unit without a description is described by its title", () => {
  const { description: _, ...unit } = add;
  expect(nodeTool(unit).description).toBe("Runs Add.");
});

describe("an answer", () => {
  test.each<[string, unknown, object]>([
    ["of given values", { a: 2, b: 3 }, { status: "completed", result: 5 }],
    ["of default values", { a: 2 }, { status: "completed", result: 3 }],
    [
      "to a value that does not fit",
      { a: "2" },
      { status: "failed", error: expect.stringContaining("the input does not fit: a: ") },
    ],
    [
      "to an unknown property",
      { c: 1 },
      { status: "failed", error: 'the input does not fit: there is no property "c"' },
    ],
    ["to no object", "2 + 3", { status: "failed", error: "the input does not fit: it is not an object" }],
  ])("%s", async (_, input, answer) => {
    expect(await run(add, input)).toEqual(answer);
  });

  test.each<[string, ProcessingUnit["process"], object]>([
    [
      "throws",
      () => {
        throw new Error("no paper");
      },
      { status: "failed", error: "no paper" },
    ],
    ["rejects", () => Promise.reject("no ink"), { status: "failed", error: "no ink" }],
    [
      "gives what is no JSON",
      () => 1n,
      { status: "failed", error: "the result is not JSON: a BigInt at result" },
    ],
    ["gives nothing", () => {}, { status: "completed", result: null }],
    ["is async", async () => [1], { status: "completed", result: [1] }],
  ])("of a unit that %s", async (_, process, answer) => {
    expect(await run({ type: "t", process }, {})).toEqual(answer);
  });
});

test("properties may be zod schemas, which say what must be given", async () => {
  const unit = {
    type: "t",
    properties: { a: z.number(), b: z.number().default(4) },
    process: ({ a, b }: { a: number; b: number }) => a * b,
  };
  expect(nodeTool(unit).inputSchema).toMatchObject({ required: ["a"] });
  expect(await run(unit, { a: 2 })).toEqual({ status: "completed", result: 8 });
  expect(await run(unit, {})).toMatchObject({ status: "failed" });
});

test("a unit finds its properties on itself, and calls side by side do not mix", async () => {
  const gate = Promise.withResolvers<void>();
  let arrived = 0;
  const unit = {
    type: "t",
    factor: 10,
    a: 0,
    properties: { a: { type: "number" } },
    async process(): Promise<number> {
      if (++arrived === 2) gate.resolve();
      await gate.promise;
      return this.a * this.factor;
    },
  };
  const tool = nodeTool(unit);
  const answers = [1, 2].map((a) => tool.run({ a }, aRunContext()));
  expect(await Promise.all(answers)).toEqual([
    { status: "completed", result: 10 },
    { status: "completed", result: 20 },
  ]);
  expect(unit.a).toBe(0);
});
