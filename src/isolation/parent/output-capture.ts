import type { Redactor } from "../../domain/redact.ts";
import type { CapturedOutput } from "../../domain/run/log-entry.ts";

const KEEP_BYTES = 32 * 1024;

/** Keeps the first and the last 32 KB of what a run prints, without secrets, and counts the rest. */
export class OutputCapture {
  /** As many as were printed. */
  bytes = 0;
  readonly #redacted: ReturnType<Redactor["stream"]>;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #passedBytes = 0;

  constructor(redactor: Redactor) {
    this.#redacted = redactor.stream();
  }

  /** A secret may come in two chunks, so the redaction goes before the cut. */
  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#keep(toBytes(this.#redacted.push(chunk.toString("latin1"))));
  }

  captured(): CapturedOutput {
    const rest = toBytes(this.#redacted.rest());
    const room = KEEP_BYTES - this.#headBytes;
    const head = Buffer.concat([...this.#head, rest.subarray(0, room)]);
    const tail = Buffer.concat([...this.#tail, rest.subarray(room)]).subarray(-KEEP_BYTES);
    return {
      // A character cut in two at an edge becomes the replacement character.
      head: head.toString(),
      tail: tail.toString(),
      bytes: this.bytes,
      droppedBytes: this.#passedBytes + rest.length - head.length - tail.length,
    };
  }

  #keep(chunk: Buffer): void {
    this.#passedBytes += chunk.length;
    const room = KEEP_BYTES - this.#headBytes;
    const first = chunk.subarray(0, room);
    if (first.length > 0) {
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    if (chunk.length > room) this.#pushTail(chunk.subarray(Math.max(room, chunk.length - KEEP_BYTES)));
  }

  #pushTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    if (this.#tailBytes < 4 * KEEP_BYTES) return;
    this.#tail = [Buffer.from(Buffer.concat(this.#tail).subarray(-KEEP_BYTES))];
    this.#tailBytes = KEEP_BYTES;
  }
}

/** One character per byte, so that no chunk ends in the middle of one. */
const toBytes = (text: string): Buffer => Buffer.from(text, "latin1");
