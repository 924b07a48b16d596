import type { Json } from "../domain/json.ts";
import { checkFit, type Fit, type OutputSchema, toJsonSchema } from "./output-schema.ts";

/** A schema as a tool's input, and how to read what a model wrote for it. */
export interface ToolInput {
  readonly jsonSchema: Json;
  read(input: unknown): Promise<Fit>;
}

/** A tool takes an object, so a text, a list or a choice goes into its field `value`. */
export function toolInput(schema: OutputSchema): ToolInput {
  const jsonSchema = toJsonSchema(schema);
  if (isObject(jsonSchema) && takesObject(jsonSchema)) {
    return { jsonSchema: { type: "object", ...jsonSchema }, read: (input) => checkFit(schema, input) };
  }
  return { jsonSchema: wrap(jsonSchema), read: (input) => readValue(schema, input) };
}

async function readValue(schema: OutputSchema, input: unknown): Promise<Fit> {
  if (typeof input !== "object" || input === null || !("value" in input))
    return { kind: "misfit", why: 'the input is no object with the field "value"' };
  const fit = await checkFit(schema, input.value);
  return fit.kind === "fits" ? fit : { kind: "misfit", why: `value: ${fit.why}` };
}

type JsonObject = { readonly [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const takesObject = ({ type, properties }: JsonObject): boolean =>
  type === "object" || (type === undefined && properties !== undefined);

function wrap(schema: Json): Json {
  const { $defs, ...value } = isObject(schema) ? schema : { const: schema };
  return {
    type: "object",
    properties: { value: moveRoot(value) },
    required: ["value"],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: moveRoot($defs) }),
  };
}

/** A schema that means itself is now one level down. */
function moveRoot(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moveRoot);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === "$ref" && value === "#" ? [key, "#/properties/value"] : [key, moveRoot(value)],
    ),
  );
}
