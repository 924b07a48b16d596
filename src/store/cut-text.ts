/** Shortens a text to so many bytes of JSON, and says how many characters are missing. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  const kept = text.slice(0, longestPrefix(text, maxBytes));
  return `${kept}… (${text.length - kept.length} more characters)`;
}

function longestPrefix(text: string, maxBytes: number): number {
  let fits = 0;
  let tooLong = Math.min(text.length, maxBytes) + 1;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (jsonBytes(text.slice(0, middle)) <= maxBytes) fits = middle;
    else tooLong = middle;
  }
  return isInsidePair(text, fits) ? fits - 1 : fits;
}

const isInsidePair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(at - 1, 0), at + 1));

/** JSON escapes quotes, control characters and lone surrogates, so characters do not tell the size. */
const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
