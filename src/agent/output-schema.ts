import * as z from "zod";
import type { Json } from "../domain/json.ts";

/** A zod schema, or JSON Schema as it stands. */
export type OutputSchema = z.ZodType | { readonly [key: string]: Json };

export type Fit = { kind: "fits"; value: unknown } | { kind: "misfit"; why: string };

const isZod = (schema: OutputSchema): schema is z.ZodType => "_zod" in schema;

export const toJsonSchema = (schema: OutputSchema): Json =>
  (isZod(schema) ? z.toJSONSchema(schema) : schema) as Json;

/** Whether a value is what the schema asks for, and if not, in words that a model can act on. */
export function checkFit(schema: OutputSchema, value: unknown): Fit {
  const checked = (isZod(schema) ? schema : z.fromJSONSchema(schema)).safeParse(value);
  return checked.success
    ? { kind: "fits", value: checked.data }
    : { kind: "misfit", why: z.prettifyError(checked.error) };
}
