import type * as z from "zod";

export interface HuggingFaceOptions<Row = DatasetRow, Named extends Columns = Columns, Item = unknown>
  extends RowOptions<Row, Named, Item> {
  /** `default` unless given. */
  readonly config?: string;
  /** `test` unless given. */
  readonly split?: string;
  /** Only so many rows, from the first. */
  readonly rows?: number;
  /**
   * The commit that the dataset must be at, in full. The rows API only has the newest, so that rows of another commit
   * are refused, unless they are kept from a time when it was the newest.
   */
  readonly revision?: string;
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
export const huggingface = <
  Row = DatasetRow,
  const Named extends Columns = UsualColumns,
  Item = NamedItem<Row, Named>,
>(
  dataset: string,
  options: HuggingFaceOptions<Row, Named, Item> = {},
): Dataset<Exclude<Item, undefined>> =>
  lazyDataset(async () => {
    const { readHuggingFace } = await import("./read-huggingface.ts");
    return readHuggingFace(dataset, options);
  });

/** Options of `jsonl()`; without `map` every line is an item as `problems` may hold it. */
export interface JsonlOptions<Row = DatasetRow, Named extends Columns = Columns, Item = unknown>
  extends RowOptions<Row, Named, Item> {}

/** The lines of a JSONL file as problems. A relative path is looked for beside the evaluation file first. */
export const jsonl = <
  Row = unknown,
  const Named extends Columns = UsualColumns,
  Item = NamedItem<Row, Named>,
>(
  file: string | URL,
  options: JsonlOptions<Row, Named, Item> = {},
): Dataset<Exclude<Item, undefined>> =>
  lazyDataset(async (folder) => {
    const { findBeside, readJsonl } = await import("./read-files.ts");
    return readJsonl(findBeside(file, folder), options);
  }, file);

export interface CsvOptions<Row = TextRow, Named extends Columns = Columns, Item = unknown>
  extends RowOptions<Row, Named, Item> {
  /** The names of the columns, for a file without a header. */
  readonly columns?: readonly string[];
  /** One character; a comma unless given. */
  readonly delimiter?: string;
}

/** The rows of a CSV file as problems. A relative path is looked for beside the evaluation file first. */
export const csv = <Row = TextRow, const Named extends Columns = UsualColumns, Item = NamedItem<Row, Named>>(
  file: string | URL,
  options: CsvOptions<Row, Named, Item> = {},
): Dataset<Exclude<Item, undefined>> =>
  lazyDataset(async (folder) => {
    const { findBeside, readCsv } = await import("./read-files.ts");
    return readCsv(findBeside(file, folder), options);
  }, file);

/** Problems that lie elsewhere; each reading starts anew, and nothing is read or loaded before. */
export interface Dataset<Item = unknown> extends AsyncIterable<Item> {
  /** Where they lie, when that is a file, so that a change of it can be seen. */
  readonly file?: string | URL;
  /** Takes the folder of the evaluation file, where a relative path is looked for first. */
  readonly beside?: (folder: string) => void;
}

/** One row of a dataset, by column. */
export type DatasetRow = Readonly<Record<string, unknown>>;

/** A row of a file that holds nothing but text. */
export type TextRow = Readonly<Record<string, string>>;

interface RowOptions<Row, Named extends Columns, Item> {
  /** Checks each row, and gives it its types; `map` then gets what it made of it. */
  readonly schema?: z.ZodType<Row>;
  /** By default the columns `problem`, `expected`, `id` and `tags`. */
  readonly map?: Named | ((row: Row, index: number) => Item);
}

/** Names of the columns that a problem is made of; a column of tags holds a list, or a text with commas between them. */
export interface Columns {
  readonly problem: string;
  readonly expected?: string;
  /** Without one the id is made of the content, so that it stays when rows move. */
  readonly id?: string;
  readonly tags?: string;
}

/** The columns that are taken where nothing else is said. */
interface UsualColumns extends Columns {
  readonly problem: "problem";
  readonly expected: "expected";
}

/** The type of the problem that columns of a row become. */
type NamedItem<Row, Named extends Columns> = unknown extends Row
  ? unknown
  : Named extends { readonly expected: infer Expected }
    ? { readonly problem: Cell<Row, Named["problem"]>; readonly expected: Cell<Row, Expected> }
    : { readonly problem: Cell<Row, Named["problem"]> };

/** What a schema does not name is not there, or not known. */
type Cell<Row, Column> = Column extends keyof Row ? Row[Column] : undefined;

/** A run's process holds the definition too, but never reads its problems: what reads them is not loaded there. */
const lazyDataset = <Item>(
  read: (folder: string | null) => Promise<AsyncIterable<unknown>>,
  file?: string | URL,
): Dataset<Item> => {
  let folder: string | null = null;
  const beside = (given: string) => {
    folder = given;
  };
  return {
    ...(file === undefined ? {} : { file, beside }),
    async *[Symbol.asyncIterator]() {
      // What a schema or a map says of rows holds for what is read through them.
      yield* (await read(folder)) as AsyncIterable<Item>;
    },
  };
};

/** Tells a definition's problems where its file lies, if they want to know. */
export function placeProblems(problems: unknown, folder: string): void {
  const beside: unknown = Object(problems).beside;
  if (typeof beside === "function") beside(folder);
}
