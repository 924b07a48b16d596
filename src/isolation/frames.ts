/** A frame is four bytes of length and that many bytes of JSON. */
export const MAX_FRAME_BYTES = 32 * 1024 * 1024;
const HEADER_BYTES = 4;
/** Four letters where a length belongs announce at least so much. */
const LEAST_TEXT_AS_LENGTH = 0x20202020;

/** A child sent something that is not a message, too much of it, or something that we failed to take (`crashed`). */
export interface Violation {
  readonly cause: "agent_error" | "limit" | "crashed";
  readonly why: string;
}

export function encodeFrame(json: string): Buffer {
  const length = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.writeUInt32BE(length, 0);
  frame.write(json, HEADER_BYTES);
  return frame;
}

/** Cuts a stream of bytes into frames; what claims to be larger than the cap is a violation and nothing more is read. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #onFrame: (json: Buffer) => void;
  readonly #onViolation: (violation: Violation) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the frame that has begun. */
  #length: number | null = null;
  #dead = false;

  constructor(
    onFrame: (json: Buffer) => void,
    onViolation: (violation: Violation) => void,
    maxBytes = MAX_FRAME_BYTES,
  ) {
    this.#onFrame = onFrame;
    this.#onViolation = onViolation;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    if (this.#dead) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      this.#length ??= this.#take(HEADER_BYTES)?.readUInt32BE(0) ?? null;
      if (this.#length === null) return;
      if (this.#length > this.#maxBytes) return this.#violate(tooLong(this.#length, this.#maxBytes));
      const json = this.#take(this.#length);
      if (json === null) return;
      this.#length = null;
      this.#onFrame(json);
    }
  }

  /** The stream ended; half a frame is a violation. */
  end(): void {
    if (!this.#dead && (this.#bytes > 0 || this.#length !== null))
      this.#violate({ cause: "agent_error", why: "ended inside a message" });
  }

  /** Ignores whatever else arrives. */
  stop(): void {
    this.#dead = true;
    this.#chunks = [];
    this.#bytes = 0;
  }

  #violate(violation: Violation): void {
    this.stop();
    this.#onViolation(violation);
  }

  /** The next bytes, once there are so many. */
  #take(bytes: number): Buffer | null {
    if (this.#dead || this.#bytes < bytes) return null;
    const [first] = this.#chunks;
    const all = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#chunks = all.length > bytes ? [all.subarray(bytes)] : [];
    this.#bytes -= bytes;
    return all.subarray(0, bytes);
  }
}

const tooLong = (length: number, maxBytes: number): Violation => ({
  cause: length < LEAST_TEXT_AS_LENGTH ? "limit" : "agent_error",
  why: `announced ${length} bytes, more than the ${maxBytes} that a message may have`,
});
