import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const MB = 1024 * 1024;
/** Connections that have not sent a run's token: as many as the system hands over at once, so that an honest one is read in time. */
const MOST_SILENT = 512;
/** Requests at once of all runs together, and of one. */
const MOST_IN_ALL = 1_024;
const MOST_OF_A_RUN = 256;
const LEAST_OF_A_RUN = 16;
/** Connections of a run that may stay open from one request to the next. */
const MOST_KEPT = 16;
/** Bytes of requests that one run may have under way. */
const MOST_BYTES = 256 * MB;

/** A request that the gateway has room for. */
export interface Admitted {
  /** Counts bytes that are kept until it has been answered; false where its run has too many of them. */
  hold(bytes: number): boolean;
}

/** Counts what one run has of the gateway's connections and memory. */
export class RunShare {
  readonly #connections = new Set<Socket>();
  #requests = 0;
  #bytes = 0;

  /** Counts a request until it has been answered; null where its run has too many, as one of so many runs. */
  admit({ socket }: IncomingMessage, outgoing: ServerResponse, runs: number): Admitted | null {
    const most = Math.max(LEAST_OF_A_RUN, Math.min(MOST_OF_A_RUN, Math.floor(MOST_IN_ALL / runs)));
    this.#keep(socket);
    // Closed with its answer, and not when the agent may be using it again.
    if (this.#connections.size > MOST_KEPT) outgoing.shouldKeepAlive = false;
    if (this.#requests >= most) return null;
    let held = 0;
    this.#requests++;
    outgoing.once("close", () => {
      this.#requests--;
      this.#bytes -= held;
    });
    return {
      hold: (bytes) => {
        held += bytes;
        this.#bytes += bytes;
        return this.#bytes <= MOST_BYTES;
      },
    };
  }

  #keep(socket: Socket): void {
    if (this.#connections.has(socket)) return;
    this.#connections.add(socket);
    socket.once("close", () => this.#connections.delete(socket));
  }
}

/** Keeps connections that say nothing from taking the place of others: of too many the oldest are closed. */
export class SilentConnections {
  readonly #silent = new Set<Socket>();

  add(socket: Socket): void {
    this.#silent.add(socket);
    socket.once("close", () => this.#silent.delete(socket));
    const [oldest] = this.#silent;
    if (this.#silent.size <= MOST_SILENT || oldest === undefined) return;
    this.#silent.delete(oldest);
    oldest.destroy();
  }

  /** It has sent the token of a run, which answers for it from now on. */
  remove(socket: Socket): void {
    this.#silent.delete(socket);
  }
}
