import { type Json, MAX_LEVELS } from "../domain/json.ts";
import { levelsOf } from "../domain/json-levels.ts";
import { parseJson } from "../domain/parse-json.ts";
import { ProviderError } from "./provider-error.ts";

/** The arguments of a tool call; text that is no JSON stays text, so that the tool's schema refuses it with a reason. */
export function toToolInput(text: string): Json {
  if (text.trim() === "") return {};
  if (levelsOf(text) > MAX_LEVELS) {
    const message = `the model wrote tool arguments that are nested deeper than ${MAX_LEVELS} levels`;
    throw new ProviderError("limit", message, { retryable: false });
  }
  const input = parseJson(text);
  return input === undefined ? text : (input as Json);
}
