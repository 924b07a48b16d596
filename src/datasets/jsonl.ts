import { type Dataset, lazyDataset, type RowMap } from "./dataset.ts";

export interface JsonlOptions {
  /** By default every line is an item as `problems` may hold it. */
  readonly map?: RowMap;
}

/** The lines of a JSONL file as problems. A file beside the evaluation is `new URL("problems.jsonl", import.meta.url)`. */
export const jsonl = (file: string | URL, options: JsonlOptions = {}): Dataset =>
  lazyDataset(async () => {
    const { readJsonl } = await import("./read-jsonl.ts");
    return readJsonl(file, options);
  }, file);
