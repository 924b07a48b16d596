import { cutLine, escapeText, type Line, lineWidth, type Span } from "./screen.ts";
import { shortenName, withoutProvider, wrapText } from "./width.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Loses its end when the table is too wide. */
  readonly mayShrink?: true;
  /** As the last column, goes on below when the table is too wide. */
  readonly mayWrap?: true;
  /** Is left out when the table is too wide, from the right. */
  readonly mayDrop?: true;
  /** Holds names of models, which can do without their provider. */
  readonly isModel?: true;
}

export interface TextTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Makes a column of models. */
export const modelColumn: Column = { title: "model", isModel: true };

/** Makes a column of numbers. */
export const numberColumn = (title: string): Column => ({ title, align: "right" });

/** A text, or pieces with styles. */
export type Cell = string | Line;

/**
 * Lines of a table, none without rows. One that is too wide wraps its last column where that may be, then leaves the
 * providers out of its models' names, then loses columns from the right; if that is not enough, the first column moves to
 * a line of its own above the others.
 */
export function layTable({ columns, rows }: TextTable, width: number): Line[] {
  if (rows.length === 0) return [];
  const titles = columns.map(({ title }): Line => [[title, "dim"]]);
  const table = { columns, rows: [titles, ...rows].map((row) => row.map(toLine)) };
  const beside = layWithout(table, width, laySideBySide);
  if (beside !== null && beside.dropped.length <= MOST_DROPPED) return noted(beside, width);
  const below = layWithout(table, width, layBelowNames) ?? beside;
  return below === null ? (layBelowNames(table, Number.POSITIVE_INFINITY) ?? []) : noted(below, width);
}

/** A table that would lose more columns than this has its names on lines of their own. */
const MOST_DROPPED = 2;

interface LaidTable {
  readonly lines: readonly Line[];
  /** Titles of the columns that are left out. */
  readonly dropped: readonly string[];
}

const noted = ({ lines, dropped }: LaidTable, width: number): Line[] =>
  dropped.length === 0
    ? [...lines]
    : [...lines, cutLine([[`no room for: ${dropped.join(", ")}`, "dim"]], width)];

/** A table whose first row has the titles. */
interface LineTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Line[])[];
}

/** Null where a table does not fit. */
type Layout = (table: LineTable, width: number) => Line[] | null;

/** Leaves out columns from the right until the layout fits; one stays beside the names. */
function layWithout(table: LineTable, width: number, lay: Layout): LaidTable | null {
  const dropped: string[] = [];
  for (let { columns, rows } = table; ; ) {
    const lines = lay({ columns, rows }, width);
    if (lines !== null) return { lines, dropped };
    const last = columns.findLastIndex(({ mayDrop }) => mayDrop);
    if (last < 0 || columns.length <= 2) return null;
    dropped.unshift(columns[last]?.title ?? "");
    columns = columns.toSpliced(last, 1);
    rows = rows.map((row) => row.toSpliced(last, 1));
  }
}

function laySideBySide({ columns, rows }: LineTable, width: number): Line[] | null {
  const shown = withShortNames({ columns, rows }, width);
  const widths = shrink(columns, wantedWidths(columns, shown), width);
  if (totalOf(widths) > width) return null;
  return shown.flatMap((row) => layWrapped(columns, row, widths));
}

function layBelowNames({ columns, rows }: LineTable, width: number): Line[] | null {
  const below = columns.slice(1);
  const inner = width - INDENT.length;
  const cells = withShortNames({ columns: below, rows: rows.map((row) => row.slice(1)) }, inner);
  const widths = shrink(below, wantedWidths(below, cells), inner);
  if (totalOf(widths) > inner) return null;
  return rows.flatMap(([name = []], at) => [
    ...(at === 0 ? [] : [[[shortenName(escapeText(textOf(name)), width)]] satisfies Line]),
    ...layWrapped(below, cells[at] ?? [], widths).map((line): Line => [[INDENT], ...line]),
  ]);
}

/** Leaves out what comes before the names of models that are too long, unless two would then be the same. */
function withShortNames({ columns, rows }: LineTable, width: number): LineTable["rows"] {
  const column = columns.findIndex(({ isModel }) => isModel);
  if (column < 0) return rows;
  const wanted = wantedWidths(columns, rows);
  const room = width - totalOf(wanted) + (wanted[column] ?? 0);
  const names = rows.map((row) => escapeText(textOf(row[column] ?? [])));
  const short = names.map((name, at) => (at === 0 ? name : withoutProvider(name, room)));
  if (new Set(short).size < new Set(names).size) return rows;
  return rows.map((row, at) => (at === 0 ? row : row.with(column, [[short[at] ?? ""]])));
}

const textOf = (line: Line): string => line.map(([text]) => text).join("");

const INDENT = "  ";

const wantedWidths = (columns: readonly Column[], rows: LineTable["rows"]): readonly number[] =>
  columns.map((_, at) => Math.max(...rows.map((row) => lineWidth(row[at] ?? []))));

/** Lines of a table without titles, as wide as they are. */
export function layRows(rows: readonly (readonly Cell[])[]): Line[] {
  const columns = (rows[0] ?? []).map((): Column => ({ title: "" }));
  return layTable({ columns, rows }, Number.POSITIVE_INFINITY).slice(1);
}

const toLine = (cell: Cell): Line => (typeof cell === "string" ? [[cell]] : cell);

const GAP = "  ";
const NARROWEST = 12;
const NARROWEST_WRAPPED = 24;

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);

function shrink(columns: readonly Column[], widths: readonly number[], width: number): readonly number[] {
  const excess = Math.max(0, totalOf(widths) - width);
  return widths.map((each, at) => {
    const { mayShrink, mayWrap } = columns[at] ?? {};
    const least = mayWrap ? NARROWEST_WRAPPED : NARROWEST;
    return mayShrink || mayWrap ? Math.min(each, Math.max(least, each - excess)) : each;
  });
}

/** Lays a row on as many lines as its last cell takes. */
function layWrapped(columns: readonly Column[], row: readonly Line[], widths: readonly number[]): Line[] {
  const last = columns.length - 1;
  const [text, width] = [textOf(row[last] ?? []), widths[last] ?? 0];
  if (!columns[last]?.mayWrap || lineWidth([[text]]) <= width) return [layRow(columns, row, widths)];
  return wrapText(escapeText(text), width).map((piece, at) => {
    const before = row.slice(0, last).map((cell) => (at === 0 ? cell : []));
    return layRow(columns, [...before, [[piece, row[last]?.[0]?.[1]]]], widths);
  });
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
