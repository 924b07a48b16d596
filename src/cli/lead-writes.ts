type Write = NodeJS.WriteStream["write"];

/** Leads what others print (a definition's `console.log`) elsewhere, so that it cannot tear our own output. */
export function leadWrites(streams: readonly NodeJS.WriteStream[], to: (text: string) => void): Disposable {
  const originals = streams.map((stream) => stream.write);
  const write = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
    to(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const callback = typeof encoding === "function" ? encoding : done;
    if (typeof callback === "function") queueMicrotask(() => callback());
    return true;
  }) as Write;
  for (const stream of streams) stream.write = write;
  return {
    [Symbol.dispose]() {
      for (const [at, stream] of streams.entries()) stream.write = originals[at] ?? stream.write;
    },
  };
}
