/** The value of a JSON text; undefined, which no JSON is, when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // JSON.parse throws for nothing else.
  }
}
