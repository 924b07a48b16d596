import { styleText } from "node:util";
import type { Json } from "../../domain/json.ts";
import { cutToWidth, padEnd, textWidth, wrapText } from "./width.ts";

const INDENT = "  ";
const MOST_LINES = 60;

/** A longer text for reading: indented, wrapped instead of cut, and ended after a page. */
export function textBlock(text: string, width: number, indent = INDENT): Line[] {
  if (text === "") return [];
  const room = Math.max(20, width - indent.length);
  const lines = escapeLines(text.replace(/\n$/, "")).flatMap((line) => wrapText(line, room));
  const shown = lines.slice(0, MOST_LINES).map((line): Line => [[`${indent}${line}`]]);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, [[`${indent}… ${left} more lines; --json has all`, "dim"]]] : shown;
}

/** A sentence on as many lines as it takes. */
export const wrapLine = (text: string, width: number, style?: Style): Line[] =>
  wrapText(text, width).map((piece): Line => [[piece, style]]);

/** Text as it is, anything else as indented JSON. */
export const valueBlock = (value: Json, width: number, indent = INDENT): Line[] =>
  textBlock(typeof value === "string" ? value : JSON.stringify(value, null, 2), width, indent);

export type Style = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";
export type Span = readonly [text: string, style?: Style | undefined];

/** One line of output as plain pieces; it becomes safe, short enough and coloured only when it is drawn. */
export type Line = readonly Span[];

export const BLANK: Line = [];

export const lineWidth = (line: Line): number =>
  line.reduce((width, [text]) => width + textWidth(escapeText(text)), 0);

/** The line as a terminal gets it: escaped, at most `columns` wide, never wrapped. */
export function drawLine(line: Line, { columns, hasColor }: { columns: number; hasColor: boolean }): string {
  return cutLine(spellStart(line), columns)
    .map(([text, style]) => (hasColor ? paint(text, style) : text))
    .join("");
}

export function padLine(line: Line, columns: number): Line {
  return [...line, [padEnd("", columns - lineWidth(line))]];
}

/** The line, escaped and at most `columns` wide; what was cut shows as an ellipsis. */
export function cutLine(line: Line, columns: number): Line {
  const safe = line.map(([text, style]): Span => [escapeText(text), style]);
  if (lineWidth(safe) <= columns) return safe;
  const kept: Span[] = [];
  let left = columns - 1;
  for (const [text, style] of safe) {
    const width = textWidth(text);
    // The blanks force an ellipsis also when the cut falls between two pieces.
    if (width > left) return [...kept, [cutToWidth(`${text}  `, left + 1), style]];
    kept.push([text, style]);
    left -= width;
  }
  return kept;
}

/** The line without two colons at its start, which a build server would take for a command. */
function spellStart(line: Line): Line {
  let isBlank = true;
  return line.map(([text, style]): Span => {
    const safe = isBlank ? escapeText(text).replace(COMMAND_START, "$1\\x3a") : text;
    isBlank &&= /^[\s\p{DI}]*$/u.test(safe);
    return [safe, style];
  });
}

const paint = (text: string, style: Style | undefined): string =>
  style === undefined || text === "" ? text : styleText(style, text, { validateStream: false });

/** A word as a shell takes it, quoted only when it must be. */
export const shellWord = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Makes foreign text safe for a terminal and a build server's log: whatever could move the cursor, ring, recolour, reorder
 * or be taken for a command is spelled out.
 */
export const escapeText = (text: string): string =>
  text.replaceAll(UNSAFE, spell).replaceAll(COMMAND, "\\x23");

/** The lines of a longer text, each safe. */
export const escapeLines = (text: string): string[] => text.split(/\r\n|\n/).map(escapeText);

/** Writes a value as JSON in one line that is as safe. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(UNSAFE, (character) => character.replaceAll(/./gs, spellUnit))
    .replaceAll(COMMAND, spellUnit);

// Joiners stay, because emoji and several scripts are written with them.
const UNSAFE = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\u200c\u200d]]/gv;
// As in `##[error]`, anywhere in a line; those who look for it may not see what has no width.
const COMMAND = /#(?=\p{DI}*#[a-zA-Z\p{DI}]*\[)/gu;
// As in `::error::`.
const COMMAND_START = /^([\s\p{DI}]*):(?=\p{DI}*:.*:\p{DI}*:)/u;

const spellUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

const SHORT: Readonly<Record<string, string>> = { "\t": "  ", "\n": "\\n", "\r": "\\r" };

function spell(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\u{${code}}`;
}

/** One stream of the user's terminal, or of a file or pipe in its place. */
export interface Screen {
  /** A terminal on which lines can be drawn again. */
  readonly isLive: boolean;
  readonly hasColor: boolean;
  /** Infinity where nothing wraps. */
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Settles when all output has left, also when its reader is gone. */
  flushed(): Promise<void>;
}

export function printLines(screen: Screen, lines: readonly Line[]): void {
  if (lines.length === 0) return;
  screen.write(lines.map((line) => `${drawLine(line, screen)}\n`).join(""));
}

/** Prints lines that must not be cut, such as an error or a command to copy, on more than one row if needed. */
export const printWhole = (screen: Screen, lines: readonly Line[]): void =>
  printLines({ ...screen, columns: Number.POSITIVE_INFINITY }, lines);

type Env = Readonly<Record<string, string | undefined>>;

export function streamScreen(stream: NodeJS.WriteStream, env: Env): Screen {
  // Bound now, so that our own output still gets through when others' writes are led elsewhere.
  const write = stream.write.bind(stream);
  const isTty = stream.isTTY === true;
  return {
    isLive: isTty && env.TERM !== "dumb" && !isOn(env.CI),
    hasColor: hasColor(stream, isTty, env),
    get columns() {
      return isTty ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY;
    },
    get rows() {
      return stream.rows ?? 24;
    },
    write: (text) => void write(text),
    flushed: () => new Promise((resolve) => void write("", () => resolve())),
  };
}

function hasColor(stream: NodeJS.WriteStream, isTty: boolean, env: Env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0";
  return isTty && stream.hasColors(env);
}

const isOn = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "false";
