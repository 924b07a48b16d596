import type { Json } from "../../domain/json.ts";
import { preview } from "../../domain/show/preview.ts";
import { jsonField } from "./json-field.ts";

export interface LastMessage {
  readonly role: string;
  readonly content: string;
}

/** What a model was asked last. A request is kept as the agent sent it, so it may be of any provider's API. */
export function lastMessage(request: Json): LastMessage | null {
  const messages = firstField(request, ["messages", "input", "contents"]);
  if (typeof messages === "string") return { role: "user", content: messages };
  const last = isList(messages) ? messages.at(-1) : undefined;
  if (last === undefined) return null;
  return {
    role: preview(firstField(last, ["role", "type"])) || "message",
    content: textOf(firstField(last, ["content", "parts", "output"])),
  };
}

const firstField = (value: Json, names: readonly string[]): Json | undefined =>
  names.map((name) => jsonField(value, name)).find((field) => field !== undefined);

/** Texts as they are, on their own or as parts; anything else as JSON. */
function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const texts = isList(content) ? content.map((part) => jsonField(part, "text")) : [];
  const isText = texts.length > 0 && texts.every((text) => typeof text === "string");
  return isText ? texts.join("\n") : preview(content, 2_000);
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
