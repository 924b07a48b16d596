import { setImmediate } from "node:timers/promises";

/**
 * Reads page after page, each whole and none open while the reader works, so that no writer waits for a reader.
 * Before every page everything else in the process gets its turn, also when somebody reads over and over.
 */
export async function* inPages<Row, Cursor>(
  first: Cursor,
  pageSize: number,
  readAfter: (cursor: Cursor, pageSize: number) => readonly Row[],
  cursorOf: (row: Row) => Cursor,
): AsyncGenerator<Row> {
  for (let cursor = first; ; ) {
    await setImmediate();
    const page = readAfter(cursor, pageSize);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    cursor = cursorOf(last);
  }
}
