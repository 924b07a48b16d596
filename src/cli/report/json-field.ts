import type { Json } from "../../domain/json.ts";

/** A field of an object; undefined for whatever else the value may be. */
export function jsonField(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: Json })[name];
}
