import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Store } from "../store/store.ts";
import { UsageError } from "./errors.ts";
import type { CliHost } from "./host.ts";
import { shellWord } from "./text/line.ts";

/** The store of one call of a command, opened when it is first needed: a refused call leaves no folder behind. */
export class LazyStore implements AsyncDisposable {
  readonly #host: CliHost;
  readonly #path: string | undefined;
  #opened: Store | null = null;

  constructor(host: CliHost, path: string | undefined) {
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

/** Closes a store or a reader at the end of a block. */
export const closing = (opened: { close(): Promise<void> }): AsyncDisposable => ({
  [Symbol.asyncDispose]: () => opened.close(),
});

export const DEFAULT_STORE = ".agent-evaluator";

/** Opens the store of this folder; it is created when there is none. */
export async function openStore(host: CliHost, path: string | undefined): Promise<Store> {
  const { openSqliteStore } = await import("../store/sqlite/sqlite-store.ts");
  return openSqliteStore(resolve(host.cwd, path ?? DEFAULT_STORE));
}

/** Opens the store for reading; null when there is none, because reading must not leave a folder behind. */
export async function openStoreToRead(host: CliHost, path: string | undefined): Promise<Store | null> {
  if (existsSync(resolve(host.cwd, path ?? DEFAULT_STORE))) return openStore(host, path);
  if (path !== undefined) throw new UsageError(`There is no store at ${path}.`);
  return null;
}

/** Makes command lines that use the same store, or the same API, again. */
export const commandFor =
  (
    host: CliHost,
    { store, remote }: { readonly store?: string | undefined; readonly remote?: string | undefined },
  ) =>
  (words: string): string =>
    [
      `${host.commandName} ${words}`,
      ...(store === undefined ? [] : [`--store ${shellWord(store)}`]),
      ...(remote === undefined ? [] : [`--remote ${shellWord(remote)}`]),
    ].join(" ");
