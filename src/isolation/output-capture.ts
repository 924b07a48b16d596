import type { CapturedOutput } from "../domain/run-body.ts";

const KEEP_BYTES = 32 * 1024;

/** Keeps the first and the last 32 KB of what a run prints and counts the rest. */
export class OutputCapture {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  bytes = 0;

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    const room = KEEP_BYTES - this.#headBytes;
    const first = chunk.subarray(0, room);
    if (first.length > 0) {
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(room, chunk.length - KEEP_BYTES)));
  }

  captured(): CapturedOutput {
    const tail = Buffer.concat(this.#tail).subarray(-KEEP_BYTES);
    return {
      head: decode(Buffer.concat(this.#head)),
      tail: decode(tail),
      bytes: this.bytes,
      droppedBytes: this.bytes - this.#headBytes - tail.length,
    };
  }

  #pushTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    if (this.#tailBytes < 4 * KEEP_BYTES) return;
    this.#tail = [Buffer.from(Buffer.concat(this.#tail).subarray(-KEEP_BYTES))];
    this.#tailBytes = KEEP_BYTES;
  }
}

/** A character cut in two at an edge becomes the replacement character instead of an error. */
const decode = (bytes: Buffer): string => bytes.toString("utf8");
