import { escapeText, type Line, type Span } from "./screen.ts";
import { cutToWidth, padEnd, padStart, textWidth } from "./width.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Loses its end when the table is too wide. */
  readonly mayShrink?: true;
}

export type Cell = Span;

/**
 * Lines of a table. When it is too wide, the first column moves to a line of its own above the others,
 * so that names stay whole.
 */
export function layTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
): Line[] {
  const wanted = columns.map((column, at) =>
    Math.max(textWidth(column.title), ...rows.map((row) => textWidth(escapeText(row[at]?.[0] ?? "")))),
  );
  const widths = shrink(columns, wanted, width);
  const titles = columns.map(({ title }): Cell => [title, "dim"]);
  if (totalOf(widths) <= width) return [titles, ...rows].map((row) => layRow(columns, row, widths));
  const lay = (row: readonly Cell[]): Line => [
    ["  "],
    ...layRow(columns.slice(1), row.slice(1), widths.slice(1)),
  ];
  return [lay(titles), ...rows.flatMap((row) => [row.slice(0, 1), lay(row)])];
}

const GAP = "  ";
const NARROWEST = 12;

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);

function shrink(columns: readonly Column[], widths: readonly number[], width: number): readonly number[] {
  const excess = Math.max(0, totalOf(widths) - width);
  return widths.map((each, at) =>
    columns[at]?.mayShrink ? Math.min(each, Math.max(NARROWEST, each - excess)) : each,
  );
}

function layRow(columns: readonly Column[], row: readonly Cell[], widths: readonly number[]): Line {
  return columns.flatMap((column, at): Span[] => {
    const [text, style] = row[at] ?? [""];
    const isLast = at === columns.length - 1;
    const columnWidth = widths[at] ?? 0;
    const padded = pad(cutToWidth(escapeText(text), columnWidth), columnWidth, column.align, isLast);
    return at === 0 ? [[padded, style]] : [[GAP], [padded, style]];
  });
}

function pad(text: string, width: number, align: Column["align"], isLast: boolean): string {
  if (align === "right") return padStart(text, width);
  return isLast ? text : padEnd(text, width);
}
