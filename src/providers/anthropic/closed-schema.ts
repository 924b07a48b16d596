import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import type { Json } from "../../domain/json.ts";
import { isJsonObject } from "../wire.ts";

/**
 * The schema as Claude's structured output takes it: closed objects, without the limits that it does not know.
 * Null where that would change what may be said.
 */
export function toClosedSchema(schema: Json): { [key: string]: unknown } | null {
  if (!isJsonObject(schema) || hasOpenObject(schema)) return null;
  try {
    return transformJSONSchema(structuredClone(schema));
  } catch {
    return null;
  }
}

/** An object whose keys are not known beforehand would be closed to nothing at all. */
function hasOpenObject(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(hasOpenObject);
  if (!isJsonObject(schema)) return false;
  const { type, properties, additionalProperties: others = true } = schema;
  const isOpen = isJsonObject(others) || (others === true && !isJsonObject(properties));
  return (type === "object" && isOpen) || Object.values(schema).some(hasOpenObject);
}
