import type * as z from "zod";
import { isRecord, type Json, toStored } from "../domain/json.ts";
import type { RunContext, Tool } from "./agent.ts";
import { checkFit, errorText, isZod, MAX_NAME_CHARACTERS, toJsonSchema } from "./tools.ts";

type PropertySchema = z.ZodType | { readonly [key: string]: Json };
type Values = Readonly<Record<string, unknown>>;

/** A step of a workflow that an agent may use as a tool; `process` finds its properties in its input and on `this`. */
export interface ProcessingUnit {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  /** The schema of each property; names that begin with _ are the unit's own. */
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  process(values: never, context: RunContext): unknown;
}

export type NodeAnswer =
  | { readonly status: "completed"; readonly result: Json }
  | { readonly status: "failed"; readonly error: string };

/** A processing unit as a tool; its answer says whether it worked, so it never throws. */
export function nodeTool(unit: ProcessingUnit): Tool {
  const properties = Object.entries(unit.properties ?? {}).filter(([name]) => !name.startsWith("_"));
  const required = properties.flatMap(([name, schema]) => (mustBeGiven(schema) ? [name] : []));
  return {
    name: nodeName(unit.type),
    description: unit.description || `Runs ${unit.title || unit.type}.`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties.map(([name, schema]) => [name, toJsonSchema(schema)])),
      ...(required.length === 0 ? {} : { required }),
    },
    async run(input, context): Promise<NodeAnswer> {
      try {
        const values = await readValues(properties, input);
        // The unit's own schemas say that these are the values it takes.
        return toAnswer(await unit.process.call(withValues(unit, values), values as never, context));
      } catch (error) {
        return { status: "failed", error: errorText(error) };
      }
    },
  };
}

/** `nodetool.text.ConcatList` is `node_nodetool_text_concat_list`; of a long type, the end tells it apart. */
function nodeName(type: string): string {
  const snake = type
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
  return `node_${snake.slice(5 - MAX_NAME_CHARACTERS).replace(/^_|_$/g, "")}`;
}

const mustBeGiven = (schema: PropertySchema): boolean =>
  isZod(schema) && !schema.safeParse(undefined).success;

async function readValues(properties: readonly [string, PropertySchema][], input: unknown): Promise<Values> {
  if (!isRecord(input)) throw new TypeError("the input does not fit: it is not an object");
  const given = new Map<string, unknown>(Object.entries(input));
  const unknown = [...given.keys()].find((key) => !properties.some(([name]) => name === key));
  if (unknown !== undefined) throw new TypeError(`the input does not fit: there is no property "${unknown}"`);
  const values: [string, unknown][] = [];
  for (const [name, schema] of properties) {
    const value = given.has(name) || isZod(schema) ? given.get(name) : schema.default;
    if (value === undefined && !isZod(schema)) continue;
    const fit = await checkFit(schema, value);
    if (fit.kind === "misfit") throw new TypeError(`the input does not fit: ${name}: ${fit.why}`);
    values.push([name, fit.value]);
  }
  return Object.fromEntries(values);
}

/** Calls run side by side, so each has a unit with values of its own. */
const withValues = (unit: ProcessingUnit, values: Values): ProcessingUnit =>
  Object.create(
    unit,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { value, enumerable: true, writable: true }]),
    ),
  );

function toAnswer(result: unknown): NodeAnswer {
  const stored = toStored(result ?? null);
  if (stored.kind === "unstorable")
    return { status: "failed", error: `the result is not JSON: ${stored.why}` };
  return { status: "completed", result: JSON.parse(stored.text) as Json };
}
