import * as z from "zod";

/** The names that an object at this place of a schema may have; empty where that cannot be said. */
export function knownOptions(schema: unknown, path: readonly PropertyKey[]): string[] {
  const whole = unwrap(schema);
  const [key, ...rest] = path;
  if (key !== undefined) return knownOptions(stepInto(whole, key), rest);
  return whole instanceof z.ZodObject ? Object.keys(whole.shape) : [];
}

function unwrap(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

function stepInto(schema: unknown, key: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[String(key)];
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodRecord ? schema.valueType : undefined;
}
