import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { CsvOptions } from "./csv.ts";
import { csvRecords } from "./csv-records.ts";
import type { Row } from "./dataset.ts";
import { nameOf, readText } from "./read-text.ts";
import { toItem } from "./to-item.ts";

/** Reads a CSV file record by record; every one has as many fields as there are columns. */
export async function* readCsv(file: string | URL, options: CsvOptions): AsyncGenerator<unknown> {
  const { map, delimiter = "," } = options;
  let { columns } = options;
  let index = 0;
  for await (const { fields, line } of csvRecords(readText(file), delimiter, nameOf(file))) {
    if (columns === undefined) {
      columns = fields;
      continue;
    }
    const place = `${nameOf(file)}:${line}`;
    const item = toItem(toRow(columns, fields, place), map, index++, place);
    if (item !== undefined) yield item;
  }
}

function toRow(columns: readonly string[], fields: readonly string[], place: string): Row {
  if (fields.length === columns.length)
    return Object.fromEntries(columns.map((column, at) => [column, fields[at]]));
  throw new EvaluatorError(
    "dataset.invalid",
    `${place}: ${fields.length} fields, but there are ${columns.length} columns (${columns.join(", ")}); ` +
      "put quotes around a field that holds the delimiter",
  );
}
