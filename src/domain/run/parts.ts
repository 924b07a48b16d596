// Loaded by agents' processes, so without zod.
import { isRecord } from "../json.ts";

interface Text {
  readonly kind: "text";
  readonly text: string;
}

interface Image {
  readonly kind: "image";
  readonly mediaType: string;
  readonly base64: string;
}

export const isImage = (value: unknown): value is Image =>
  isRecord(value) &&
  value.kind === "image" &&
  typeof value.mediaType === "string" &&
  typeof value.base64 === "string";

export const isPart = (value: unknown): value is Text | Image =>
  isImage(value) || (isRecord(value) && value.kind === "text" && typeof value.text === "string");

/** The content of a message as text alone, with a mark where it has an image. */
export function textOfContent(content: string | readonly (Text | Image)[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.kind === "text" ? part.text : `[image ${part.mediaType}]`)).join("\n");
}
