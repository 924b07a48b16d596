/** Problems that lie elsewhere; each reading starts anew, and nothing is read or loaded before. */
export interface Dataset extends AsyncIterable<unknown> {
  /** Where they lie, when that is a file, so that a change of it can be seen. */
  readonly file?: string | URL;
}

/** One row of a dataset, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Which columns a problem is made of; a column of tags holds a list, or a text with commas between them. */
export interface Columns {
  readonly problem: string;
  readonly expected?: string;
  /** Without one the id is made of the content, so that it stays when rows move. */
  readonly id?: string;
  readonly tags?: string;
}

/** What a row becomes: the columns of a problem, or any item that `problems` may hold; `undefined` leaves the row out. */
export type RowMap = Columns | ((row: Row, index: number) => unknown);

/** A run's process holds the definition too, but never reads its problems: what reads them is not loaded there. */
export const lazyDataset = (read: () => Promise<AsyncIterable<unknown>>, file?: string | URL): Dataset => ({
  ...(file === undefined ? {} : { file }),
  async *[Symbol.asyncIterator]() {
    yield* await read();
  },
});
