import type { Json } from "../../domain/json.ts";
import { escapeLines } from "./escape-text.ts";
import type { Line } from "./line.ts";
import { wrapText } from "./text-width.ts";

const INDENT = "  ";
const MOST_LINES = 60;

/** A longer text for reading: indented, wrapped instead of cut, and ended after a page. */
export function textBlock(text: string, width: number, indent = INDENT): Line[] {
  if (text === "") return [];
  const room = Math.max(20, width - indent.length);
  const lines = escapeLines(text.replace(/\n$/, "")).flatMap((line) => wrapText(line, room));
  const shown = lines.slice(0, MOST_LINES).map((line): Line => [[`${indent}${line}`]]);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, [[`${indent}… ${left} more lines; --json has all`, "dim"]]] : shown;
}

/** Text as it is, anything else as indented JSON. */
export const valueBlock = (value: Json, width: number, indent = INDENT): Line[] =>
  textBlock(typeof value === "string" ? value : JSON.stringify(value, null, 2), width, indent);
