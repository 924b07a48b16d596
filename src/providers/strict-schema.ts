import type { Json } from "../domain/json.ts";

/** Keywords that a strict schema may not have: with them, only the relaxed mode takes the schema. */
const REFUSED = [
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "oneOf",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
  "prefixItems",
  "default",
];

/** Whether OpenAI's strict mode takes this JSON Schema: closed objects whose every property is required. */
export function isStrictSchema(schema: Json): boolean {
  return isObject(schema) && isStrict(schema);
}

function isStrict(schema: Json): boolean {
  if (!isObject(schema)) return false;
  const keys = Object.keys(schema);
  if (keys.length === 0 || keys.some((key) => REFUSED.includes(key))) return false;
  const { properties, items, anyOf, $defs } = schema;
  if ((schema.type === "object" || properties !== undefined) && !isClosed(schema)) return false;
  return [properties, $defs]
    .flatMap((group) => (isObject(group) ? Object.values(group) : []))
    .concat(items === undefined ? [] : [items], Array.isArray(anyOf) ? (anyOf as Json[]) : [])
    .every(isStrict);
}

function isClosed({ properties, required, additionalProperties }: { readonly [key: string]: Json }): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false;
  const names = Array.isArray(required) ? required : [];
  return Object.keys(properties).every((name) => names.includes(name));
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
