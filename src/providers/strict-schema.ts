import type { Json } from "../domain/json.ts";

type Schema = { readonly [key: string]: Json };

/** What OpenAI's strict mode knows; one word more, and it refuses the whole request. */
const KEYWORDS = new Set([
  ...["$schema", "$ref", "$defs", "title", "description", "type", "enum", "const", "anyOf"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["pattern", "format", "minLength", "maxLength"],
]);
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** Whether OpenAI's strict mode takes this JSON Schema: closed objects whose every property is required. */
export const isStrictSchema = (schema: Json): boolean =>
  isObject(schema) && schema.type === "object" && isStrict(schema);

function isStrict(schema: Json): boolean {
  if (!isObject(schema) || Object.keys(schema).length === 0) return false;
  const { properties, items, anyOf, $defs, format } = schema;
  if (!Object.keys(schema).every((key) => KEYWORDS.has(key))) return false;
  if (typeof format === "string" && !FORMATS.includes(format)) return false;
  if ((schema.type === "object" || properties !== undefined) && !isClosed(schema)) return false;
  const inner = [...valuesOf(properties), ...valuesOf($defs), ...(items === undefined ? [] : [items])];
  return [...inner, ...(isList(anyOf) ? anyOf : [])].every(isStrict);
}

function isClosed({ properties, required, additionalProperties }: Schema): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false;
  const names = isList(required) ? required : [];
  return Object.keys(properties).every((name) => names.includes(name));
}

const valuesOf = (group: Json | undefined): readonly Json[] => (isObject(group) ? Object.values(group) : []);

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const isObject = (value: Json | undefined): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
