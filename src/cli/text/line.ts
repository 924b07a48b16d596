import { styleText } from "node:util";
import { escapeText } from "./escape-text.ts";
import { cutText, padEnd, textWidth } from "./text-width.ts";

export type Style = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";
export type Span = readonly [text: string, style?: Style | undefined];

/** One line of output as plain pieces; it becomes safe, short enough and coloured only when it is drawn. */
export type Line = readonly Span[];

export const BLANK: Line = [];

export const lineWidth = (line: Line): number =>
  line.reduce((width, [text]) => width + textWidth(escapeText(text)), 0);

/** The line as a terminal gets it: escaped, at most `columns` wide, never wrapped. */
export function drawLine(line: Line, { columns, hasColor }: { columns: number; hasColor: boolean }): string {
  const safe = line.map(([text, style]): Span => [escapeText(text), style]);
  const cut = lineWidth(safe) <= columns ? safe : cutSpans(safe, columns);
  return cut.map(([text, style]) => (hasColor ? paint(text, style) : text)).join("");
}

export function padLine(line: Line, columns: number): Line {
  return [...line, [padEnd("", columns - lineWidth(line))]];
}

function cutSpans(line: Line, columns: number): Line {
  const kept: Span[] = [];
  let left = columns - 1;
  for (const [text, style] of line) {
    const width = textWidth(text);
    // The blanks force an ellipsis also when the cut falls between two pieces.
    if (width > left) return [...kept, [cutText(`${text}  `, left + 1), style]];
    kept.push([text, style]);
    left -= width;
  }
  return kept;
}

const paint = (text: string, style: Style | undefined): string =>
  style === undefined || text === "" ? text : styleText(style, text, { validateStream: false });
