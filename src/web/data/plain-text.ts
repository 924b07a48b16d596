/** Text as it may be shown: control characters become pictures of themselves, and none turns the reading order round. */
export const plainText = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, picture);

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** A string as it is, anything else as JSON that people can read. */
export const showJson = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
