/** Makes foreign text safe for a terminal: whatever could move the cursor, ring, recolour or reorder is spelled out. */
export const escapeText = (text: string): string => text.replaceAll(UNSAFE, spell);

/** The lines of a longer text, each safe. */
export const escapeLines = (text: string): string[] => text.split(/\r\n|\n/).map(escapeText);

// Joiners stay, because emoji and several scripts are written with them.
const UNSAFE = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\u200c\u200d]]/gv;

const SHORT: Readonly<Record<string, string>> = { "\t": "  ", "\n": "\\n", "\r": "\\r" };

function spell(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\u{${code}}`;
}
