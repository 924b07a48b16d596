import { createReadStream, existsSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { CsvError, parse } from "csv-parse";
import { EvaluatorError, hasCode } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import type { CsvOptions, DatasetRow } from "./datasets.ts";
import { type RowReading, refuseDeep, toItem } from "./rows.ts";

/** Reads a JSONL file line by line; blank lines are skipped. */
export async function* readJsonl(file: string | URL, reading: RowReading): AsyncGenerator<unknown> {
  let line = 0;
  let index = 0;
  for await (const text of lines(readFileText(file))) {
    line++;
    if (text.trim() === "") continue;
    const place = `${displayPath(file)}:${line}`;
    const value = readLine(text, place);
    refuseDeep(value, place);
    const isRow = reading.map !== undefined || reading.schema !== undefined;
    const item = isRow ? await toItem(asRow(value, place), reading, index, place) : value;
    index++;
    if (item !== undefined) yield item;
  }
}

async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  yield rest;
}

function readLine(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EvaluatorError("dataset.invalid", `${place} is not JSON (${why}); each line is one value`, {
      cause,
    });
  }
}

function asRow(value: unknown, place: string): DatasetRow {
  if (isRecord(value)) return value;
  throw new EvaluatorError(
    "dataset.invalid",
    `${place} is not an object, so it has no columns; leave out \`map\``,
  );
}

/** Reads a CSV file record by record; every one has as many fields as there are columns. */
export async function* readCsv(
  file: string | URL,
  options: Pick<CsvOptions, "columns" | "delimiter"> & RowReading,
): AsyncGenerator<unknown> {
  const { delimiter = "," } = options;
  let { columns } = options;
  let index = 0;
  for await (const { fields, line } of csvRecords(readFileText(file), delimiter, displayPath(file))) {
    if (columns === undefined) {
      columns = fields;
      continue;
    }
    const place = `${displayPath(file)}:${line}`;
    const item = await toItem(toRow(columns, fields, place), options, index++, place);
    if (item !== undefined) yield item;
  }
}

function toRow(columns: readonly string[], fields: readonly string[], place: string): DatasetRow {
  if (fields.length === columns.length)
    return Object.fromEntries(columns.map((column, at) => [column, fields[at]]));
  throw new EvaluatorError(
    "dataset.invalid",
    `${place}: ${fields.length} fields, but there are ${columns.length} columns (${columns.join(", ")}); ` +
      "put quotes around a field that holds the delimiter",
  );
}

interface CsvRecord {
  readonly fields: readonly string[];
  /** The line of the file that it begins on, from 1. */
  readonly line: number;
}

/** Reads CSV as RFC 4180 has it: quoted fields may hold delimiters, line breaks and doubled quotes; blank lines are skipped. */
export async function* csvRecords(
  chunks: AsyncIterable<string>,
  delimiter: string,
  name: string,
): AsyncGenerator<CsvRecord> {
  let line = 1;
  let blankLines = 0;
  const starts: number[] = [];
  const skipBlank = (seen: number): void => {
    line += seen - blankLines;
    blankLines = seen;
  };
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (fields: string[], { empty_lines }) => {
      skipBlank(empty_lines);
      starts.push(line);
      // Counted here, because the parser takes \r\n within quotes for two lines.
      line += fields.reduce((sum, field) => sum + field.split(/\r\n|\r|\n/).length - 1, 1);
      return fields;
    },
  });
  try {
    for await (const fields of Readable.from(chunks).compose(parser)) {
      yield { fields, line: starts.shift() ?? line };
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    skipBlank(Number(cause.empty_lines));
    throw new EvaluatorError(
      "dataset.invalid",
      `${name}:${line}: ${CSV_FAULTS.get(cause.code) ?? cause.message}; a quote within a quoted field is doubled`,
      { cause },
    );
  }
}

const CSV_FAULTS: ReadonlyMap<string, string> = new Map([
  ["CSV_QUOTE_NOT_CLOSED", "a quote is opened and never closed"],
  ["CSV_INVALID_CLOSING_QUOTE", "text follows a closing quote"],
  ["INVALID_OPENING_QUOTE", "a quote is inside a field that is not quoted"],
]);

/** The path of a file, relative to the current folder. */
const displayPath = (file: string | URL): string => relative(process.cwd(), pathOf(file));

/** The text of a file in pieces, without a byte order mark. */
async function* readFileText(file: string | URL): AsyncGenerator<string> {
  const stream = createReadStream(pathOf(file), { encoding: "utf8" });
  let isFirst = true;
  try {
    for await (const chunk of stream) {
      const text = String(chunk);
      yield isFirst ? text.replace(/^\uFEFF/, "") : text;
      isFirst = false;
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

const pathOf = (file: string | URL): string => (file instanceof URL ? fileURLToPath(file) : resolve(file));

/** Finds a relative path beside the evaluation file, or else takes it from the current folder. */
export function findBeside(file: string | URL, folder: string | null): string | URL {
  if (file instanceof URL || folder === null || isAbsolute(file)) return file;
  const beside = join(folder, file);
  return existsSync(beside) ? beside : file;
}

function unreadable(file: string | URL, cause: unknown): unknown {
  if (!(cause instanceof Error && "syscall" in cause)) return cause;
  const isMissing = hasCode(cause, "ENOENT");
  const what = isMissing
    ? `there is no file ${displayPath(file)}`
    : `${displayPath(file)} cannot be read (${cause.message})`;
  return new EvaluatorError(
    "dataset.unreadable",
    `${what}; a relative path is looked for beside the evaluation file, then in the current folder`,
    { cause },
  );
}
