import { expect, test } from "vitest";
import * as z from "zod";
import type { Json } from "../../src/domain/json.ts";
import { isStrictSchema } from "../../src/providers/wire.ts";

const isStrict = (schema: z.ZodType) => isStrictSchema(z.toJSONSchema(schema) as Json);
const tree = z.object({
  value: z.string(),
  get children() {
    return z.array(tree);
  },
});

test.each([
  ["an object", z.object({ value: z.string() })],
  ["objects within lists", z.object({ list: z.array(z.object({ n: z.int().min(1).max(9) })) })],
  ["a choice", z.object({ value: z.enum(["a", "b"]), other: z.union([z.string(), z.null()]) })],
  ["formats that it knows", z.object({ at: z.iso.datetime(), id: z.uuid(), mail: z.email() })],
  ["a tree", tree],
])("%s fits strict mode", (_name, schema) => {
  expect(isStrict(schema)).toBe(true);
});

test.each([
  ["an optional property", z.object({ value: z.string().optional() })],
  ["an open object", z.looseObject({ value: z.string() })],
  ["an optional property deep inside", z.object({ list: z.array(z.object({ n: z.number().optional() })) })],
  ["a value of any kind", z.object({ value: z.unknown() })],
  ["a record", z.object({ value: z.record(z.string(), z.number()) })],
  ["a tuple", z.object({ value: z.tuple([z.string(), z.number()]) })],
  ["a default", z.object({ value: z.string().default("x") })],
  ["a format that it does not know", z.object({ value: z.url() })],
  ["a list at the top", z.array(z.string())],
  ["a choice at the top", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
])("%s does not fit strict mode", (_name, schema) => {
  expect(isStrict(schema)).toBe(false);
});

test.each([true, null, "text", {}, { type: "object" }])("%j is no strict schema", (schema) => {
  expect(isStrictSchema(schema)).toBe(false);
});
