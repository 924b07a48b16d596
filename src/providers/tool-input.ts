import type { Json } from "../domain/json.ts";

/** The arguments of a tool call; text that is no JSON stays text, so that the tool's schema refuses it with a reason. */
export function toToolInput(text: string): Json {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
