import type { FromChild } from "./messages.ts";

const MB = 1024 * 1024;
/** More than this is a flood, whatever it says. */
export const MAX_HELD_MB = 256;

/** How much a child has sent during one task that we may still hold: everything but the model calls that are answered. */
export class PipeQuota {
  readonly #calls = new Map<number, number>();
  #heldBytes = 0;

  mayHold(message: FromChild, bytes: number): boolean {
    this.#heldBytes += bytes;
    if (message.kind === "call") this.#calls.set(message.id, bytes);
    return this.#heldBytes <= MAX_HELD_MB * MB;
  }

  answered(call: number): void {
    this.#heldBytes -= this.#calls.get(call) ?? 0;
    this.#calls.delete(call);
  }
}
