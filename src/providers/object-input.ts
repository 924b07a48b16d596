import type { Json } from "../domain/json.ts";

type JsonObject = { readonly [key: string]: Json };

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A tool call's input for providers that take nothing but objects: a model may have written something else. */
export const toObjectInput = (input: Json): { [key: string]: Json } =>
  isJsonObject(input) ? { ...input } : { input };
