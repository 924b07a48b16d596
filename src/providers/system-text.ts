import type { Json } from "../domain/json.ts";
import type { ChatRequest } from "./contract.ts";

/** All system messages as one text, for providers that keep it apart from the conversation. */
export function systemText(request: ChatRequest, unspokenSchema?: Json): string {
  const texts = request.messages.flatMap((message) => (message.role === "system" ? [message.content] : []));
  if (unspokenSchema !== undefined) texts.push(schemaInWords(unspokenSchema));
  return texts.filter((text) => text.trim() !== "").join("\n\n");
}

/** What a model is told that has no mode for this schema. */
const schemaInWords = (schema: Json) =>
  `Answer with JSON alone, without code fences, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
