export interface HuggingFaceOptions {
  /** `default` unless given. */
  readonly config?: string;
  /** `test` unless given. */
  readonly split?: string;
  /** By default the columns `problem`, `expected`, `id` and `tags`. */
  readonly map?: RowMap;
  /** Only so many rows, from the first. */
  readonly rows?: number;
  /** For datasets that are not public. */
  readonly token?: string | undefined;
  /** Where rows are kept once they were read; a folder of this user unless given, `false` keeps none. */
  readonly cache?: string | false;
  /** Reads what is kept anew; otherwise a dataset stays as it was when it was first read. */
  readonly refresh?: boolean;
  /** Another server of the same API. */
  readonly baseUrl?: string;
}

/** The rows of a dataset on Hugging Face as problems, such as `huggingface("openai/gsm8k", { config: "main" })`. */
export const huggingface = (dataset: string, options: HuggingFaceOptions = {}): Dataset =>
  lazyDataset(async () => {
    const { readHuggingFace } = await import("./read-huggingface.ts");
    return readHuggingFace(dataset, options);
  });

export interface JsonlOptions {
  /** By default every line is an item as `problems` may hold it. */
  readonly map?: RowMap;
}

/** The lines of a JSONL file as problems. A file beside the evaluation is `new URL("problems.jsonl", import.meta.url)`. */
export const jsonl = (file: string | URL, options: JsonlOptions = {}): Dataset =>
  lazyDataset(async () => {
    const { readJsonl } = await import("./read-files.ts");
    return readJsonl(file, options);
  }, file);

export interface CsvOptions {
  /** By default the columns `problem`, `expected`, `id` and `tags`. */
  readonly map?: RowMap;
  /** The names of the columns, for a file without a header. */
  readonly columns?: readonly string[];
  /** One character; a comma unless given. */
  readonly delimiter?: string;
}

/** The rows of a CSV file as problems. A file beside the evaluation is `new URL("problems.csv", import.meta.url)`. */
export const csv = (file: string | URL, options: CsvOptions = {}): Dataset =>
  lazyDataset(async () => {
    const { readCsv } = await import("./read-files.ts");
    return readCsv(file, options);
  }, file);

/** Problems that lie elsewhere; each reading starts anew, and nothing is read or loaded before. */
export interface Dataset extends AsyncIterable<unknown> {
  /** Where they lie, when that is a file, so that a change of it can be seen. */
  readonly file?: string | URL;
}

/** One row of a dataset, by column. */
export type DatasetRow = Readonly<Record<string, unknown>>;

/** Which columns a problem is made of; a column of tags holds a list, or a text with commas between them. */
export interface Columns {
  readonly problem: string;
  readonly expected?: string;
  /** Without one the id is made of the content, so that it stays when rows move. */
  readonly id?: string;
  readonly tags?: string;
}

/** What a row becomes: the columns of a problem, or any item that `problems` may hold; `undefined` leaves the row out. */
export type RowMap = Columns | ((row: DatasetRow, index: number) => unknown);

/** A run's process holds the definition too, but never reads its problems: what reads them is not loaded there. */
const lazyDataset = (read: () => Promise<AsyncIterable<unknown>>, file?: string | URL): Dataset => ({
  ...(file === undefined ? {} : { file }),
  async *[Symbol.asyncIterator]() {
    yield* await read();
  },
});
