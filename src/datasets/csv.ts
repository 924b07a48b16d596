import { type Dataset, lazyDataset, type RowMap } from "./dataset.ts";

export interface CsvOptions {
  /** By default the columns `problem`, `expected`, `id` and `tags`. */
  readonly map?: RowMap;
  /** The names of the columns, for a file whose first line is no header. */
  readonly columns?: readonly string[];
  /** One character; a comma unless given. */
  readonly delimiter?: string;
}

/** The rows of a CSV file as problems. A file beside the evaluation is `new URL("problems.csv", import.meta.url)`. */
export const csv = (file: string | URL, options: CsvOptions = {}): Dataset =>
  lazyDataset(async () => {
    const { readCsv } = await import("./read-csv.ts");
    return readCsv(file, options);
  }, file);
