import type { Json } from "../json.ts";
import { firstLine } from "./first-line.ts";

/** A value on one line: a text as it is, anything else as JSON. */
export function preview(value: Json | undefined, maxLength = 500): string {
  if (value === undefined) return "";
  if (typeof value === "string") return firstLine(value, maxLength);
  return JSON.stringify(value).slice(0, maxLength);
}
