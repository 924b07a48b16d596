/** The first line that says something, of a text that may be long. */
export function firstLine(text: string, maxLength = 500): string {
  const start = text.slice(0, maxLength * 4).trimStart();
  return start.split(/\r?\n/, 1)[0]?.slice(0, maxLength).trimEnd() ?? "";
}
