import { cutLine, type Line, lineWidth, type Span } from "./screen.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Loses its end when the table is too wide. */
  readonly mayShrink?: true;
}

export interface TextTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Makes a column of numbers. */
export const numberColumn = (title: string): Column => ({ title, align: "right" });

/** A text, or pieces with styles. */
export type Cell = string | Line;

/**
 * Lines of a table, none without rows. When it is too wide, the first column moves to a line of its own above the
 * others, so that names stay whole.
 */
export function layTable({ columns, rows }: TextTable, width: number): Line[] {
  if (rows.length === 0) return [];
  const titles = columns.map(({ title }): Line => [[title, "dim"]]);
  const all = [titles, ...rows].map((row) => row.map(toLine));
  const wanted = columns.map((_, at) => Math.max(...all.map((row) => lineWidth(row[at] ?? []))));
  const widths = shrink(columns, wanted, width);
  if (totalOf(widths) <= width) return all.map((row) => layRow(columns, row, widths));
  const lay = (row: readonly Line[]): Line => [
    ["  "],
    ...layRow(columns.slice(1), row.slice(1), widths.slice(1)),
  ];
  return all.flatMap((row, at) => (at === 0 ? [lay(row)] : [row[0] ?? [], lay(row)]));
}

/** Lines of a table without titles, as wide as they are. */
export function layRows(rows: readonly (readonly Cell[])[]): Line[] {
  const columns = (rows[0] ?? []).map((): Column => ({ title: "" }));
  return layTable({ columns, rows }, Number.POSITIVE_INFINITY).slice(1);
}

const toLine = (cell: Cell): Line => (typeof cell === "string" ? [[cell]] : cell);

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

function layRow(columns: readonly Column[], row: readonly Line[], widths: readonly number[]): Line {
  return columns.flatMap(({ align }, at): Line => {
    const width = widths[at] ?? 0;
    const cell = cutLine(row[at] ?? [], width);
    const room: Span = [" ".repeat(width - lineWidth(cell))];
    const gap: Line = at === 0 ? [] : [[GAP]];
    if (align === "right") return [...gap, room, ...cell];
    return at === columns.length - 1 ? [...gap, ...cell] : [...gap, ...cell, room];
  });
}
