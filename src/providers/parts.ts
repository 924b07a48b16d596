// Loaded alone by agents' processes: without zod.
import { isRecord } from "../domain/json.ts";
import type { Part } from "./provider.ts";

type Image = Extract<Part, { kind: "image" }>;

export const isImage = (value: unknown): value is Image =>
  isRecord(value) &&
  value.kind === "image" &&
  typeof value.mediaType === "string" &&
  typeof value.base64 === "string";

/** The content of a message as text alone, with a mark where it has an image. */
export function textOfContent(content: string | readonly Part[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.kind === "text" ? part.text : `[image ${part.mediaType}]`)).join("\n");
}
