import type { Writable } from "node:stream";

type Outputs = { readonly stdout: Writable; readonly stderr: Writable };

/**
 * Watches which outputs a process uses, and gives a function that resolves when all that went into them is out:
 * the process ends with its answer, and what it still held back would be lost.
 */
export function outputFlusher(from: Outputs): () => Promise<void> {
  const used = new Set<Writable>();
  for (const name of ["stdout", "stderr"] as const) {
    const { get: open } = Object.getOwnPropertyDescriptor(from, name) ?? {};
    if (open === undefined) continue;
    // Opening them takes a process milliseconds, and most agents print nothing.
    const get = () => {
      const stream: Writable = open.call(from);
      used.add(stream);
      return stream;
    };
    Object.defineProperty(from, name, { configurable: true, enumerable: true, get });
  }
  return async () => {
    for (const stream of used) if (stream.writableLength > 0) await flushed(stream);
  };
}

const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.writableEnded || stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
