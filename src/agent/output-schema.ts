import type { Schema, SchemaDraft } from "@cfworker/json-schema";
import type * as z from "zod";
import type { Json } from "../domain/json.ts";

/** A zod schema, or JSON Schema as it stands. */
export type OutputSchema = z.ZodType | { readonly [key: string]: Json };

export type Fit = { kind: "fits"; value: unknown } | { kind: "misfit"; why: string };

/** What a model has to write so that the schema takes it. What JSON Schema cannot say is left to the check. */
export function toJsonSchema(schema: OutputSchema): Json {
  if (!isZod(schema)) return schema;
  // The schema's own method: zod's function would put every kind of schema into each run's bundle.
  const { $schema: _, ...rest } = schema.toJSONSchema({ io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(rest)) as Json;
}

/** Whether a value is what the schema asks for, and if not, in words that a model can act on. */
export async function checkFit(schema: OutputSchema, value: unknown): Promise<Fit> {
  return isZod(schema) ? checkZod(schema, value) : checkJsonSchema(schema, value);
}

export const isZod = (schema: OutputSchema): schema is z.ZodType => "_zod" in schema;

async function checkZod(schema: z.ZodType, value: unknown): Promise<Fit> {
  const checked = await schema.safeParseAsync(value);
  if (checked.success) return { kind: "fits", value: checked.data };
  const lines = checked.error.issues.map(({ path, message }) => say(path, message));
  return { kind: "misfit", why: lines.join("\n") };
}

async function checkJsonSchema(schema: { readonly [key: string]: Json }, value: unknown): Promise<Fit> {
  const { Validator } = await import("@cfworker/json-schema");
  // A copy, because the validator writes its own keys into the schema.
  const copy = JSON.parse(JSON.stringify(schema)) as Schema;
  const { valid, errors } = new Validator(copy, draftOf(schema.$schema), false).validate(value);
  if (valid) return { kind: "fits", value };
  const places = errors.map(({ keywordLocation }) => keywordLocation);
  const lines = errors
    // A schema that fails because of one inside it says nothing of its own.
    .filter(({ keywordLocation: place }) => !places.some((other) => other.startsWith(`${place}/`)))
    .filter(({ keyword }) => keyword !== "false")
    .map(({ instanceLocation, error }) => say(keysOf(instanceLocation), error));
  return { kind: "misfit", why: lines.join("\n") };
}

function draftOf(dialect: Json | undefined): SchemaDraft {
  const drafts: readonly SchemaDraft[] = ["4", "7", "2019-09"];
  const said = typeof dialect === "string" ? dialect : "";
  return (
    drafts.find((draft) => said.includes(`draft/${draft}/`) || said.includes(`draft-0${draft}/`)) ?? "2020-12"
  );
}

const keysOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => decodeURI(key).replaceAll("~1", "/").replaceAll("~0", "~"));

const say = (path: readonly PropertyKey[], message: string): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
