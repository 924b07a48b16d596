import type { Json } from "../domain/json.ts";
import { parseJson } from "../domain/parse-json.ts";

/** The arguments of a tool call; text that is no JSON stays text, so that the tool's schema refuses it with a reason. */
export function toToolInput(text: string): Json {
  if (text.trim() === "") return {};
  const input = parseJson(text);
  return input === undefined ? text : (input as Json);
}
