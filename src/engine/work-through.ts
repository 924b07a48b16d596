/** Works on so many items at a time; after the first failure no further one is begun. */
export async function workThrough<Item>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = items[Symbol.asyncIterator]();
  let isBroken = false;
  const worker = async (): Promise<void> => {
    for (let next = await queue.next(); !next.done && !isBroken; next = await queue.next()) {
      await work(next.value).catch((error: unknown) => {
        isBroken = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
}
