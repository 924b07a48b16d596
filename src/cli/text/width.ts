/** Columns that a text takes on a terminal; when terminals disagree, the larger number, so that nothing wraps. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Cuts a text to at most `columns`, with an ellipsis for what was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return "";
  return `${takeColumns(text, columns - 1)}…`;
}

/** Shortens a model's name from its start: the provider goes first, the version and the variant at its end stay. */
export function shortenName(name: string, columns: number): string {
  const short = withoutProvider(name, columns);
  if (textWidth(short) <= columns) return short;
  if (columns < 1) return "";
  const tail = takeColumns([...short].reverse().join(""), columns - 1);
  return `…${[...tail].reverse().join("")}`;
}

/** Leaves out as many leading parts of a name as it must to fit, and never its last part. */
export function withoutProvider(name: string, columns: number): string {
  const slash = name.indexOf("/");
  const isLast = slash < 0 || slash === name.length - 1;
  return isLast || textWidth(name) <= columns ? name : withoutProvider(name.slice(slash + 1), columns);
}

/** Pieces of at most `columns` each, cut between words where that leaves a line worth reading. */
export function wrapText(text: string, columns: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (textWidth(rest) > columns) {
    const most = takeColumns(rest, columns) || [...rest].slice(0, 1).join("");
    const piece = wholeWords(most, rest[most.length]);
    pieces.push(piece.trimEnd());
    rest = rest.slice(piece.length).replace(/^ +/, "");
  }
  return [...pieces, rest];
}

function wholeWords(piece: string, next: string | undefined): string {
  if (next === " ") return piece;
  const end = piece.lastIndexOf(" ");
  return end > piece.length / 3 && piece.slice(0, end).trim() !== "" ? piece.slice(0, end) : piece;
}

export const padEnd = (text: string, columns: number): string => text + spaces(columns - textWidth(text));
export const padStart = (text: string, columns: number): string => spaces(columns - textWidth(text)) + text;

const spaces = (count: number): string => " ".repeat(Math.max(0, count));

const PLAIN = /^[\x20-\x7e]*$/;
const NO_WIDTH = /^[\p{Mn}\p{Me}\u200b-\u200d]$/u;
const EMOJI_SELECTOR = "\ufe0f";
const FIRST_WIDE = "\u1100";

/** Blocks that Unicode's East Asian Width calls wide or full-width, generously rounded. */
const WIDE = [
  /^[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe10-\ufe6f]$/u,
  /^[\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u,
  /^\p{Emoji_Presentation}$/u,
];

function characterWidth(character: string): number {
  if (character === EMOJI_SELECTOR) return 1;
  if (NO_WIDTH.test(character)) return 0;
  return character >= FIRST_WIDE && WIDE.some((wide) => wide.test(character)) ? 2 : 1;
}

function takeColumns(text: string, columns: number): string {
  let taken = "";
  let width = 0;
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) return taken;
    taken += character;
  }
  return taken;
}
