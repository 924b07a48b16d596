import { expect, test } from "vitest";
import { z } from "zod";
import { checkFit, type OutputSchema, toJsonSchema } from "../../src/agent/tools.ts";

const city = {
  type: "object",
  properties: {
    value: { type: "string" },
    size: { $ref: "#/$defs/size" },
    years: { type: "array", items: { type: "integer" } },
  },
  required: ["value"],
  additionalProperties: false,
  $defs: { size: { type: "number", minimum: 3 } },
} as const;

test.each<[string, OutputSchema, unknown]>([
  ["zod", z.object({ value: z.string() }), { value: "Lima" }],
  ["JSON Schema", city, { value: "Lima", size: 3, years: [1535] }],
  ["JSON Schema of draft 4", { $schema: "http://json-schema.org/draft-04/schema#", type: "integer" }, 3],
  ["JSON Schema that says nothing", {}, [1, "a"]],
])("%s takes what fits", async (_, schema, value) => {
  expect(await checkFit(schema, value)).toEqual({ kind: "fits", value });
});

test.each<[string, OutputSchema, unknown, unknown[]]>([
  [
    "zod",
    z.object({ value: z.string(), years: z.array(z.int()) }),
    { value: 3, years: [1, "x"] },
    [
      "value: Invalid input: expected string, received number",
      "years.1: Invalid input: expected number, received string",
    ],
  ],
  [
    "JSON Schema",
    city,
    { size: 1, years: ["x"], extra: true },
    [
      'Instance does not have required property "value".',
      "size: 1 is less than 3.",
      'years.0: Instance type "string" is invalid. Expected "integer".',
      'Property "extra" does not match additional properties schema.',
    ],
  ],
  [
    "JSON Schema of draft 4",
    {
      $schema: "http://json-schema.org/draft-04/schema#",
      type: "number",
      minimum: 3,
      exclusiveMinimum: true,
    },
    3,
    [expect.stringMatching(/^3 is less than or equal to/)],
  ],
])("%s says each place that does not fit", async (_, schema, value, lines) => {
  const fit = await checkFit(schema, value);
  expect(fit.kind === "misfit" ? fit.why.split("\n") : fit).toEqual(lines);
});

test("a zod schema may transform what it takes", async () => {
  const schema = z.object({ on: z.string().transform((text) => new Date(text)), size: z.int().default(1) });
  expect(await checkFit(schema, { on: "2026-01-01" })).toEqual({
    kind: "fits",
    value: { on: new Date("2026-01-01"), size: 1 },
  });
  expect(toJsonSchema(schema)).toMatchObject({ properties: { on: { type: "string" } }, required: ["on"] });
});

test("a schema may hold what JSON Schema cannot say", () => {
  expect(toJsonSchema(z.object({ on: z.date() }))).toMatchObject({ properties: { on: {} } });
});

test("a JSON Schema stays as its owner wrote it", async () => {
  const before = JSON.stringify(city);
  await checkFit(city, {});
  expect(JSON.stringify(toJsonSchema(city))).toBe(before);
});
