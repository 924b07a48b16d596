import type { Store } from "../store/contract.ts";
import type { Host } from "./host.ts";
import { openStore, openStoreToRead } from "./open-store.ts";

/** The store of one call, opened when it is first needed: a call that is refused leaves no folder behind. */
export class LazyStore implements AsyncDisposable {
  readonly #host: Host;
  readonly #path: string | undefined;
  #opened: Store | null = null;

  constructor(host: Host, path: string | undefined) {
    this.#host = host;
    this.#path = path;
  }

  /** Created when there is none. */
  async open(): Promise<Store> {
    this.#opened ??= await openStore(this.#host, this.#path);
    return this.#opened;
  }

  /** Null when there is none. */
  async openToRead(): Promise<Store | null> {
    this.#opened ??= await openStoreToRead(this.#host, this.#path);
    return this.#opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened?.close();
  }
}
